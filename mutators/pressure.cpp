#include <algorithm>

#include "core/check.h"

/// Theory: what is right by luck needs other luck. Calls of two threads at the same time share whatever the kernel
/// keeps in static memory (only where the contract says reentrant); threads of one call that happened to run side by
/// side, or one after the other, do so no longer when busy threads crowd the processors or when all share one.
namespace assay {
namespace {

constexpr std::uint64_t kMostRepeats = 256;

bool repeatable(const Contract& contract) {
  return std::none_of(contract.tensors.begin(), contract.tensors.end(),
                      [](const Tensor& tensor) { return tensor.role == Role::inout; });
}

void add_together(CheckContext& context, const ConcreteShape& shape, int pairs) {
  Script script;
  script.needs = Lifetime::reused_buffers;
  script.threat = "F5";
  script.apart = true;
  script.story = "two threads call at the same time, each with its own tensors";
  for (int i = 0; i < 2 * pairs; ++i) {
    CallPlan call = context.fresh_call(shape);
    call.beside = i % 2 == 1;
    if (repeatable(context.contract())) call.repeats = kMostRepeats;
    script.calls.push_back(std::move(call));
  }
  context.add(script);
}

void add_shaken(CheckContext& context, const ConcreteShape& shape, int calls) {
  Script script;
  script.threat = "F1";
  script.apart = true;
  script.story = "the same call again while other threads want the processors";
  const CallPlan call = context.fresh_call(shape);
  for (int i = 0; i < calls; ++i) {
    script.calls.push_back(call);
    script.calls.back().stress = i == 0 ? Stress::none : i % 3 == 0 ? Stress::cramped : Stress::crowded;
    if (i > 0) script.relations.push_back({RelationKind::same_bits, 0, static_cast<std::size_t>(i)});
  }
  context.add(script);
}

void plan(CheckContext& context) {
  if (context.effort() < 2) return;  // a loop that waits for an answer has no time for it
  const bool reentrant = context.contract().concurrency.reentrant;
  for (const ConcreteShape* shape : context.pick(2)) {
    if (reentrant) add_together(context, *shape, 6 * context.effort());
    add_shaken(context, *shape, 4 * context.effort());
  }
}

const bool kRegistered = Registry<Check>::add(
    {"pressure", "F", "Other calls and other threads beside a call don't change its result.", "F5 F1 F9", plan,
     "fresh-values one-tensor move-all move-one poison-pair previous-output reuse one-element reshuffle"});

}  // namespace
}  // namespace assay
