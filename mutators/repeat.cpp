#include "core/check.h"

/// Theory: what a call leaves behind (memory, threads, descriptors) and what it carries over into the next one shows
/// when the same call is made again and again. Set-up is done by the middle of the script; from there nothing may grow.
namespace assay {
namespace {

constexpr int kCalls = 24;

void plan(CheckContext& context) {
  for (const ConcreteShape* shape : context.pick(1)) {
    Script script;
    script.soak = true;
    script.story = "the same call again and again";
    script.calls.assign(kCalls * static_cast<std::size_t>(context.effort()), context.fresh_call(*shape));
    for (std::size_t i = 1; i < script.calls.size(); ++i) script.relations.push_back({RelationKind::same_bits, 0, i});
    context.add(script);
  }
}

const bool kRegistered =
    Registry<Check>::add({"repeat", "F", "The same call again gives the same result and leaves nothing more behind.",
                          "F1 F3 F4", plan, "fresh-values one-tensor"});

}  // namespace
}  // namespace assay
