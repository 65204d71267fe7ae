#include <algorithm>

#include "core/check.h"
#include "core/oracle.h"

/// Theory: a fixed generator is the cheapest one. Where the oracle says which scalar decides the draws, calls that
/// differ in nothing else must not all draw alike. Whether there is enough to draw is seen from the reference's own
/// results.
namespace assay {
namespace {

constexpr std::size_t kSeeds = 4;

const Param* seed_of(const Contract& contract) {
  if (!contract.oracle) return nullptr;
  for (const OracleBinding& each : contract.oracle->bind) {
    if (each.argument != kSeedArgument || each.kind != ArgKind::param) continue;
    const auto named = [&](const Param& param) { return param.name == each.name; };
    const auto found = std::find_if(contract.params.begin(), contract.params.end(), named);
    return found == contract.params.end() ? nullptr : &*found;
  }
  return nullptr;
}

void plan(CheckContext& context) {
  const Param* seed = seed_of(context.contract());
  if (!seed) return;
  for (const ConcreteShape* shape : context.pick(context.effort())) {
    Script script;
    script.suspect = seed->name;
    script.story = "only the seed " + seed->name + " changes";
    script.threat = "D12";
    CallPlan call = context.fresh_call(*shape);
    for (std::size_t value = 0; value < std::min(seed->values.size(), kSeeds); ++value) {
      call.params[static_cast<std::size_t>(seed - context.contract().params.data())] = value;
      script.calls.push_back(call);
      if (value > 0) script.relations.push_back({RelationKind::other_draws, value - 1, value});
    }
    if (script.calls.size() > 1) context.add(script);
  }
}

const bool kRegistered =
    Registry<Check>::add({"seed", "D", "Another seed gives other draws.", "D12", plan, "fresh-values one-tensor"});

}  // namespace
}  // namespace assay
