#include <map>

#include "core/check.h"
#include "core/freedom.h"

/// Theory: a cache may know its input by sums, norms, extremes or a checksum without order. The same elements in
/// another order have all of these in common. Tensors of one size are also reshuffled together, so that pairs stay
/// pairs.
namespace assay {
namespace {

using Tensors = std::vector<std::size_t>;

void add_script(CheckContext& context, const ConcreteShape& shape, const Tensors& tensors, Lifetime needs) {
  Script script;
  script.needs = needs;
  for (const std::size_t t : tensors) {
    script.suspect += (script.suspect.empty() ? "" : ", ") + context.contract().tensors[t].name;
  }
  script.story = "the elements of " + script.suspect + " in another order";
  const CallPlan call = context.fresh_call(shape);
  script.calls.push_back(call);
  for (int i = 0; i < 2; ++i) {
    CallPlan next = call;
    const std::uint64_t key = context.random()();
    for (const std::size_t t : tensors) next.values[t].edits.push_back(ReshuffleEdit{key});
    script.calls.push_back(next);
  }
  context.add(script);
}

void add_shape(CheckContext& context, const ConcreteShape& shape) {
  std::map<std::int64_t, Tensors> by_size;
  for (const ConcreteTensor& tensor : shape.tensors) {
    const Freedom freedom = freedom_of(context.contract(), context.contract().tensors[tensor.index]);
    if (!freedom.exchangeable || tensor.elements < 2) continue;
    add_script(context, shape, {tensor.index}, freedom.change_in_place);
    if (freedom.change_in_place == Lifetime::fixed_address) by_size[tensor.elements].push_back(tensor.index);
  }
  for (const auto& [size, tensors] : by_size) {
    if (tensors.size() > 1) add_script(context, shape, tensors, Lifetime::fixed_address);
  }
}

void plan(CheckContext& context) {
  if (context.lifetime() != context.contract().lifetime) return;  // fresh-values tells the lifetimes apart
  for (const ConcreteShape* shape : context.pick(context.effort())) add_shape(context, *shape);
}

const bool kRegistered =
    Registry<Check>::add({"reshuffle", "A", "The same elements in another order are another input.", "A2 B4 B5", plan,
                          "fresh-values one-tensor one-element"});

}  // namespace
}  // namespace assay
