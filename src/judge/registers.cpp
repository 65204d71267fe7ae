#include "judge/registers.h"

#include <bit>
#include <cstring>

#include "core/error.h"

namespace assay {
namespace {

std::uint64_t float_slot(CType type, double value) {
  if (type == CType::f64) return std::bit_cast<std::uint64_t>(value);
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

std::uint64_t integer_slot(CType type, std::int64_t value, Random& random) {
  const bool half = type == CType::i32 || type == CType::u32;
  const auto bits = static_cast<std::uint64_t>(value);
  return half ? (random() << 32) | (bits & 0xffffffffU) : bits;
}

std::uint64_t scalar_slot(CType type, double value, Random& random) {
  if (type == CType::f32 || type == CType::f64) return float_slot(type, value);
  return integer_slot(type, static_cast<std::int64_t>(value), random);
}

const Staged& buffer_named(std::span<const Staged> buffers, const std::string& name) {
  for (const Staged& staged : buffers) {
    if (staged.buffer->name == name) return staged;
  }
  throw Error("internal: no buffer named " + name);
}

std::uint64_t param_slot(const Contract& contract, const Argument& argument, const CallPlan& plan, Random& random) {
  for (std::size_t i = 0; i < contract.params.size(); ++i) {
    const Param& param = contract.params[i];
    if (param.name == argument.name) return scalar_slot(argument.type, param.values.at(plan.params.at(i)), random);
  }
  throw Error("internal: no param named " + argument.name);
}

std::uint64_t slot_of(const Contract& contract, const Argument& argument, const CallPlan& plan,
                      std::span<const Staged> buffers, Random& random) {
  switch (argument.kind) {
    case ArgKind::tensor:
      return buffer_named(buffers, argument.name).lodging.address;
    case ArgKind::axis:
      return integer_slot(argument.type, plan.axes.at(argument.name), random);
    case ArgKind::param:
      return param_slot(contract, argument, plan, random);
    case ArgKind::workspace:
      return buffer_named(buffers, kWorkspaceName).lodging.address;
    case ArgKind::workspace_bytes:
      return integer_slot(argument.type, static_cast<std::int64_t>(buffer_named(buffers, kWorkspaceName).buffer->bytes),
                          random);
    case ArgKind::literal:
      return argument.type == CType::f32 || argument.type == CType::f64
                 ? float_slot(argument.type, argument.real)
                 : integer_slot(argument.type, argument.integer, random);
    case ArgKind::stream:
    case ArgKind::device:
    case ArgKind::null:
      return 0;
  }
  throw Error("internal: unknown kind of argument");
}

}  // namespace

Invocation registers_of(const Contract& contract, const Entry& entry, const CallPlan& plan,
                        std::span<const Staged> buffers, Random& random) {
  Invocation invocation;
  for (const Argument& argument : entry.args) {
    invocation.args.at(invocation.count++) = slot_of(contract, argument, plan, buffers, random);
  }
  return invocation;
}

Bytes returned_element(std::uint64_t value, DType dtype) {
  Bytes element(static_cast<std::size_t>(info(dtype).bytes));
  // The contract refuses "f32:y" for a tensor of another type, so the low bytes of the register are the element.
  std::memcpy(element.data(), &value, element.size());
  return element;
}

std::int64_t returned_number(const Entry& entry, std::uint64_t value) {
  const bool wide = entry.returns == ReturnKind::status64;
  return wide ? static_cast<std::int64_t>(value) : static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

bool means_success(const Entry& entry, std::uint64_t value) {
  switch (entry.returns) {
    case ReturnKind::nothing:
    case ReturnKind::element:
    case ReturnKind::tensors:
      return true;
    case ReturnKind::status32:
    case ReturnKind::status64:
      return !entry.success || returned_number(entry, value) == *entry.success;
    case ReturnKind::cuda_error:
    case ReturnKind::hip_error:
    case ReturnKind::cu_result:
      return returned_number(entry, value) == entry.success.value_or(0);
  }
  return false;
}

}  // namespace assay
