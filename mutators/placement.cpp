#include <algorithm>

#include "core/check.h"

/// Theory: the contract promises an alignment and names pairs that may share storage; a kernel may rely on that and no
/// more. Tensors lie at every offset into 64 bytes that the alignment allows, in ever other combinations, and the named
/// pairs lie on top of each other. The oracle decides: peeling loops may change the last bits.
namespace assay {
namespace {

constexpr std::int64_t kLine = 64;

void add_offsets(CheckContext& context, const ConcreteShape& shape) {
  const std::int64_t align = context.contract().memory.align;
  const auto steps = static_cast<std::uint64_t>(std::max<std::int64_t>(kLine / align, 2));
  const std::size_t tensors = shape.tensors.size();
  std::vector<std::uint64_t> starts, strides;
  for (std::size_t t = 0; t < tensors; ++t) {
    starts.push_back(context.random().below(steps));
    strides.push_back(2 * context.random().below(steps) + 1);  // odd: visits every offset
  }
  for (std::uint64_t step = 0; step < steps; ++step) {
    Script script;
    script.needs = Lifetime::reused_buffers;
    script.story = "tensors at offsets that the alignment allows";
    CallPlan call = context.fresh_call(shape);
    for (std::size_t t = 0; t < tensors; ++t) {
      call.shifts.push_back(static_cast<int>((starts[t] + step * strides[t]) % steps));
    }
    script.calls.push_back(call);
    context.add(script);
  }
}

const ConcreteTensor& find(const Contract& contract, const ConcreteShape& shape, const std::string& name) {
  return shape.tensors[static_cast<std::size_t>(contract.find_tensor(name) - contract.tensors.data())];
}

/// Only an input and an output: two inputs on one storage would have to hold the same values.
bool can_share(const Contract& contract, const ConcreteTensor& a, const ConcreteTensor& b) {
  const Tensor& first = contract.tensors[a.index];
  const Tensor& second = contract.tensors[b.index];
  const bool in_out =
      (first.role == Role::in && second.role == Role::out) || (first.role == Role::out && second.role == Role::in);
  return in_out && !first.is_static && !second.is_static && a.bytes == b.bytes && a.bytes > 0;
}

void add_aliases(CheckContext& context, const ConcreteShape& shape) {
  const Contract& contract = context.contract();
  for (const auto& [first, second] : contract.memory.aliasing) {
    const ConcreteTensor& a = find(contract, shape, first);
    const ConcreteTensor& b = find(contract, shape, second);
    if (!can_share(contract, a, b)) continue;
    Script script;
    script.needs = Lifetime::reused_buffers;
    script.suspect = first + " and " + second;
    script.story = script.suspect + " share their storage";
    CallPlan call = context.fresh_call(shape);
    call.places[a.index] = call.places[b.index] = 1;
    script.calls.push_back(call);
    context.add(script);
  }
}

void plan(CheckContext& context) {
  if (context.lifetime() != context.contract().lifetime) return;
  for (const ConcreteShape* shape : context.pick(context.effort())) add_offsets(context, *shape);
  if (context.contract().memory.aliasing.empty()) return;
  for (const ConcreteShape* shape : context.pick(4 * context.effort())) add_aliases(context, *shape);
}

const bool kRegistered =
    Registry<Check>::add({"placement", "C", "Tensors may lie wherever alignment and aliasing allow.", "C9 C13", plan,
                          "fresh-values one-tensor"});

}  // namespace
}  // namespace assay
