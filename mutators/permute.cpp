#include <algorithm>
#include <map>

#include "core/check.h"
#include "core/freedom.h"

/// Theory: what holds of the first rows need not hold of the others, and rows that change places are another input even
/// if each is known. Slices along the first axis change places, alone and together with those of other tensors; then
/// the first half of the rows is ordinary and the rest isn't, so that a prefix says nothing about what follows.
namespace assay {
namespace {

struct Slices {
  std::vector<std::size_t> tensors;  ///< with the same number of slices
  std::string names;
};

bool permutable(const CheckContext& context, const ConcreteTensor& tensor) {
  const Tensor& spec = context.contract().tensors[tensor.index];
  const bool rows = spec.values && spec.values->kind == ValueKind::probabilities && tensor.shape.size() > 1;
  const Freedom freedom = freedom_of(context.contract(), spec);
  return (freedom.exchangeable || (rows && freedom.changes)) && is_floating(spec.dtype) && tensor.elements > 0 &&
         !tensor.shape.empty() && tensor.shape.front() > 1;
}

void add_order(CheckContext& context, const ConcreteShape& shape, const Slices& slices) {
  Script script;
  script.suspect = slices.names;
  script.story = "slices of " + slices.names + " change places";
  const CallPlan call = context.fresh_call(shape);
  script.calls.push_back(call);
  for (int i = 0; i < 2; ++i) {
    CallPlan next = call;
    const std::uint64_t key = context.random()();
    for (const std::size_t t : slices.tensors) next.values[t].edits.push_back(PermuteEdit{key});
    script.calls.push_back(next);
  }
  context.add(script);
}

void add_prefix(CheckContext& context, const ConcreteShape& shape, const ConcreteTensor& tensor) {
  const Tensor& spec = context.contract().tensors[tensor.index];
  const Freedom freedom = freedom_of(context.contract(), spec);
  if (!freedom.continuous || rows_of(tensor) < 2) return;
  const std::int64_t half = (rows_of(tensor) + 1) / 2;
  Script script;
  script.suspect = spec.name;
  CallPlan call = context.fresh_call(shape);
  call.typical = false;
  TensorPlan& plan = call.values[tensor.index];
  plan.edits = {ScaleTailEdit{half, std::min(freedom.reach, 10)}, freedom.clamp()};
  script.story = "ordinary rows of " + spec.name + " before large ones";
  script.calls.push_back(call);
  context.add(script);
}

void add_shape(CheckContext& context, const ConcreteShape& shape) {
  std::map<std::int64_t, Slices> by_count;
  for (const ConcreteTensor& tensor : shape.tensors) {
    if (!permutable(context, tensor)) continue;
    const std::string& name = context.contract().tensors[tensor.index].name;
    add_order(context, shape, {{tensor.index}, name});
    add_prefix(context, shape, tensor);
    Slices& together = by_count[tensor.shape.front()];
    together.tensors.push_back(tensor.index);
    together.names += (together.names.empty() ? "" : ", ") + name;
  }
  for (const auto& [count, slices] : by_count) {
    if (slices.tensors.size() > 1) add_order(context, shape, slices);
  }
}

void plan(CheckContext& context) {
  if (context.lifetime() != context.contract().lifetime) return;  // fresh-values tells the lifetimes apart
  for (const ConcreteShape* shape : context.pick(context.effort())) add_shape(context, *shape);
}

const bool kRegistered = Registry<Check>::add({"permute", "C", "Rows and batches in another order give other results.",
                                               "C4 C6", plan, "fresh-values one-tensor one-element"});

}  // namespace
}  // namespace assay
