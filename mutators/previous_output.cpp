#include <algorithm>

#include "core/check.h"
#include "core/freedom.h"

/// Theory: a kernel that finds its output nearly right already may leave it, or mix it into the new one. The output
/// holds the right answer of the call before, from which this one differs in nothing, in one element, in one tensor, or
/// in everything.
namespace assay {
namespace {

constexpr int kFewestShapes = 3;

/// One element in the middle of a tensor, away from the ends that a spot check looks at.
void change_inside(CheckContext& context, CallPlan& call, const ConcreteTensor& tensor) {
  const Freedom freedom = freedom_of(context.contract(), context.contract().tensors[tensor.index]);
  const std::optional<double> value = one_value(freedom, tensor, context.random()());
  const bool in_place = freedom.change_in_place == Lifetime::fixed_address;
  if (!value || !in_place || tensor.elements == 0) return;
  const double where = 0.25 + 0.5 * context.random().unit();
  call.values[tensor.index].edits.push_back(SetElementEdit{where, *value});
}

void add_script(CheckContext& context, const ConcreteShape& shape) {
  Script script;
  script.story = "the output holds the answer of the call before";
  const auto add = [&](CallPlan call) {
    if (!script.calls.empty()) call.poison = Poison::other_answer;
    script.calls.push_back(std::move(call));
  };
  const CallPlan call = context.fresh_call(shape);
  add(call);
  add(call);
  for (const ConcreteTensor& tensor : shape.tensors) {
    CallPlan changed = script.calls.back();
    change_inside(context, changed, tensor);
    if (changed.values != script.calls.back().values) add(changed);
  }
  add(context.fresh_call(shape));
  context.add(script);
}

void plan(CheckContext& context) {
  if (context.lifetime() != context.contract().lifetime) return;  // fresh-values tells the lifetimes apart
  // Several even in a quick audit: small ones have no inside.
  for (const ConcreteShape* shape : context.pick(std::max(kFewestShapes, context.effort()))) {
    add_script(context, *shape);
  }
}

const bool kRegistered = Registry<Check>::add(
    {"previous-output", "B", "Outputs that already hold a right answer, of this call or of another, change nothing.",
     "B14 B2", plan, "fresh-values one-tensor"});

}  // namespace
}  // namespace assay
