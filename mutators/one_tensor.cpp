#include "core/check.h"

/// Theory: a tensor that the kernel ignores, or whose digest, maximum or transpose it keeps, shows when it alone
/// changes behind the same pointers. Integer and metadata tensors change to other valid structures (serving only),
/// scalars to their other declared values.
namespace assay {
namespace {

void add_tensor(CheckContext& context, const ConcreteShape& shape, std::size_t index) {
  const Tensor& tensor = context.contract().tensors[index];
  Script script;
  script.needs = is_floating(tensor.dtype) ? Lifetime::fixed_address : Lifetime::serving;
  script.suspect = tensor.name;
  script.story = "only the values of " + tensor.name + " change, same pointers";
  CallPlan call = context.fresh_call(shape);
  script.calls.push_back(call);
  // A kept maximum or length of metadata shows only when the next one is larger: more changes make that sure.
  const int changes = is_floating(tensor.dtype) ? 2 : 6;
  for (int i = 0; i < changes; ++i) {
    call.values[index].draw = context.new_draw();
    script.calls.push_back(call);
  }
  context.add(script);
}

void add_param(CheckContext& context, const ConcreteShape& shape, std::size_t index) {
  const Param& param = context.contract().params[index];
  if (param.values.size() < 2) return;
  Script script;
  script.suspect = param.name;
  script.story = "only the scalar " + param.name + " changes";
  CallPlan call = context.fresh_call(shape);
  for (std::size_t value = 0; value < std::min<std::size_t>(param.values.size(), 4); ++value) {
    call.params[index] = value;
    script.calls.push_back(call);
  }
  context.add(script);
}

void plan(CheckContext& context) {
  const Contract& contract = context.contract();
  for (const ConcreteShape* shape : context.pick(context.effort())) {
    for (std::size_t i = 0; i < contract.tensors.size(); ++i) {
      if (holds_input(contract.tensors[i].role) && !contract.tensors[i].is_static) add_tensor(context, *shape, i);
    }
    for (std::size_t i = 0; i < contract.params.size(); ++i) add_param(context, *shape, i);
  }
}

const bool kRegistered = Registry<Check>::add(
    {"one-tensor", "A", "Each tensor and scalar counts: when it alone changes, the result follows.", "A11 A13 B10 A2",
     plan});

}  // namespace
}  // namespace assay
