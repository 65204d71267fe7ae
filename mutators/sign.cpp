#include "core/check.h"
#include "core/freedom.h"

/// Theory: random rows always hold numbers of both signs, so a maximum that starts at zero, an absolute value or a
/// squared sign passes. Here a tensor has the other signs, only positive numbers, or only negative ones.
namespace assay {
namespace {

void add_call(CheckContext& context, const ConcreteShape& shape, const ConcreteTensor& tensor, const ValueEdit& edit,
              const std::string& story) {
  const Tensor& spec = context.contract().tensors[tensor.index];
  const Freedom freedom = freedom_of(context.contract(), spec);
  Script script;
  script.suspect = spec.name;
  script.story = spec.name + " " + story;
  CallPlan call = context.fresh_call(shape);
  call.typical = false;
  call.values[tensor.index].edits = {edit, freedom.clamp()};
  script.calls.push_back(call);
  context.add(script);
}

void plan(CheckContext& context) {
  if (context.lifetime() != context.contract().lifetime) return;
  for (const ConcreteShape* shape : context.pick(context.effort())) {
    for (const ConcreteTensor& tensor : shape->tensors) {
      const Freedom freedom = freedom_of(context.contract(), context.contract().tensors[tensor.index]);
      if (!freedom.continuous || !freedom.both_signs || tensor.elements == 0) continue;
      add_call(context, *shape, tensor, NegateEdit{}, "has the opposite signs");
      add_call(context, *shape, tensor, SignEdit{false}, "is positive throughout");
      add_call(context, *shape, tensor, SignEdit{true}, "is negative throughout");
    }
  }
}

const bool kRegistered = Registry<Check>::add({"sign", "C", "Numbers count with their signs, also where all are alike.",
                                               "C10 B5", plan, "fresh-values one-tensor"});

}  // namespace
}  // namespace assay
