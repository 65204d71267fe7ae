#include "core/check.h"

/// Theory: what a kernel doesn't write, or reads without having written it, depends on what lay there before. The same
/// call runs over NaN patterns, small finite values and the answer of another call, in outputs, scratch and gaps.
namespace assay {
namespace {

void add_pair(CheckContext& context, const ConcreteShape& shape) {
  Script script;
  script.story = "the same call over three kinds of leftovers";
  CallPlan other = context.fresh_call(shape);
  CallPlan call = context.fresh_call(shape);
  script.calls.push_back(other);  // its answer is the third kind of leftovers
  for (const Poison poison : {Poison::quiet_nan, Poison::small_finite, Poison::other_answer}) {
    call.poison = poison;
    script.calls.push_back(call);
  }
  script.relations.push_back({RelationKind::same_bits, 1, 2});
  script.relations.push_back({RelationKind::same_bits, 1, 3});
  context.add(script);
}

void plan(CheckContext& context) {
  for (const ConcreteShape* shape : context.pick(2 * context.effort())) add_pair(context, *shape);
}

const bool kRegistered = Registry<Check>::add(
    {"poison-pair", "B", "The result doesn't depend on what lay in outputs and scratch before the call.",
     "B1 B2 B14 B22 B21", plan, "fresh-values one-tensor"});

}  // namespace
}  // namespace assay
