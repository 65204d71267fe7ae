#include "contract/returns.h"

#include <algorithm>

#include "contract/words.h"
#include "core/arguments.h"

namespace assay::contract {
namespace {

struct PlainReturn {
  std::string_view name;
  Returns returns;
};

// The value returned is a status, nothing, or all outputs (ABI.md).
const std::array<PlainReturn, 7> kReturns{{{"void", {ReturnKind::nothing, CType::i32, ""}},
                                           {"i32", {ReturnKind::status32, CType::i32, ""}},
                                           {"i64", {ReturnKind::status64, CType::i64, ""}},
                                           {"cudaError_t", {ReturnKind::cuda_error, CType::i32, ""}},
                                           {"hipError_t", {ReturnKind::hip_error, CType::i32, ""}},
                                           {"CUresult", {ReturnKind::cu_result, CType::i32, ""}},
                                           {"tensors", {ReturnKind::tensors, CType::pointer, ""}}}};

struct AbiReturns {
  std::string_view abi;
  bool status, element, tensors;
};

// In the order of Abi.
constexpr std::array<AbiReturns, 5> kAllowed{{{"c", true, true, false},
                                              {"tvm-ffi", false, false, true},
                                              {"cuda-module", false, false, false},
                                              {"hip-module", false, false, false},
                                              {"python", false, false, true}}};

std::optional<Returns> allowed(Reader& reader, const Node& node, Abi abi, const Returns& returns) {
  const AbiReturns& rule = kAllowed[static_cast<std::size_t>(abi)];
  const bool fine = returns.kind == ReturnKind::nothing || (is_status(returns.kind) && rule.status) ||
                    (returns.kind == ReturnKind::element && rule.element) ||
                    (returns.kind == ReturnKind::tensors && rule.tensors);
  if (fine) return returns;
  reader.fail(node, "a subject of abi \"" + std::string(rule.abi) + "\" returns " +
                        (rule.tensors  ? "\"void\" or \"tensors\""
                         : rule.status ? "\"void\", a status or \"f32:y\""
                                       : "\"void\""));
  return std::nullopt;
}

CType element_type(DType dtype) {
  constexpr std::array<CType, 15> kTypes{CType::f64,     CType::f32, CType::pointer, CType::pointer, CType::pointer,
                                         CType::pointer, CType::i64, CType::i32,     CType::i16,     CType::i8,
                                         CType::u64,     CType::u32, CType::u16,     CType::u8,      CType::boolean};
  return kTypes[static_cast<std::size_t>(dtype)];
}

/// One element whatever the sizes: axes that are constant count, others don't.
bool has_one_element(const Contract& contract, const Tensor& tensor) {
  AxisValues constants;
  for (const Axis& axis : contract.axes) {
    if (axis.constant) constants[axis.name] = axis.min;
  }
  return std::all_of(tensor.shape.begin(), tensor.shape.end(), [&](const Expression& size) {
    const auto value = size.evaluate(constants);
    const auto* number = std::get_if<std::int64_t>(&value);
    return number && *number == 1;
  });
}

/// Empty if a value of `type` can be the only element of the tensor.
std::string unreturnable(const Reader& reader, const std::string& name, CType type) {
  const std::vector<std::string_view> known(reader.tensor_names.begin(), reader.tensor_names.end());
  if (!reader.tensor_names.contains(name)) return unknown_word("tensor", name, known);
  if (reader.broken.contains(name)) return {};
  const Tensor& tensor = *reader.contract.find_tensor(name);
  if (tensor.role != Role::out) return "tensor '" + name + "' is returned, so its role must be \"out\"";
  if (!has_one_element(reader.contract, tensor))
    return "tensor '" + name + "' is returned, so its shape must be [] or [1]";
  if (element_type(tensor.dtype) != type) {
    return "tensor '" + name + "' holds " + std::string(info(tensor.dtype).name) + ", but " +
           std::string(name_of(type)) + " is returned";
  }
  return {};
}

std::optional<Returns> read_element(Reader& reader, const Node& node, Abi abi) {
  const std::size_t colon = node.text.find(':');
  const std::string_view spelled = std::string_view(node.text).substr(0, colon);
  const auto* found =
      std::find_if(kCTypes.begin(), kCTypes.end(), [&](const auto& word) { return word.name == spelled; });
  if (found == kCTypes.end() || found->value == CType::pointer) {
    const auto names = names_of(kCTypes);
    reader.fail(node, unknown_word("C type", spelled, std::span(names).first(names.size() - 1)));  // all but "ptr"
    return std::nullopt;
  }
  const std::string tensor = node.text.substr(colon + 1);
  const std::string problem = unreturnable(reader, tensor, found->value);
  if (!problem.empty()) reader.fail_inside(node, colon + 1, problem);
  return allowed(reader, node, abi, {ReturnKind::element, found->value, tensor});
}

}  // namespace

bool is_status(ReturnKind kind) {
  return kind != ReturnKind::nothing && kind != ReturnKind::element && kind != ReturnKind::tensors;
}

std::optional<Returns> read_returns(Reader& reader, const Node& node, Abi abi) {
  std::string text;
  if (!reader.read(node, text)) return std::nullopt;
  if (text.find(':') != std::string::npos) return read_element(reader, node, abi);
  for (const PlainReturn& each : kReturns) {
    if (each.name == text) return allowed(reader, node, abi, each.returns);
  }
  std::vector<std::string_view> known;
  for (const PlainReturn& each : kReturns) known.push_back(each.name);
  reader.fail(node, unknown_word("value of " + node.path, text, known) + " (a returned element: \"f32:y\")");
  return std::nullopt;
}

std::optional<Returns> returns_of(Reader& reader, const Node& prototype_node, const Prototype& prototype,
                                  const Node* returns_node, Abi abi) {
  const Returns declared{prototype.returns, prototype.return_type, ""};
  if (!returns_node) {
    if (declared.kind != ReturnKind::element) {
      const std::size_t before = reader.error_count();
      const auto result = allowed(reader, prototype_node, abi, declared);
      return reader.error_count() == before ? result : std::nullopt;
    }
    const std::string type(name_of(declared.type));
    reader.fail_inside(
        prototype_node, prototype.return_offset,
        "the function returns " + type + ": say which output that is with returns = \"" + type + ":NAME\"");
    return std::nullopt;
  }
  const auto stated = read_returns(reader, *returns_node, abi);
  if (!stated) return std::nullopt;
  const bool both_nothing = stated->kind == declared.kind && declared.kind == ReturnKind::nothing;
  const bool same_register =
      declared.kind != ReturnKind::nothing && stated->kind != ReturnKind::nothing && stated->type == declared.type;
  if (both_nothing || same_register) return stated;
  const std::string type = declared.kind == ReturnKind::nothing ? "void" : std::string(name_of(declared.type));
  reader.fail(*returns_node, "'returns' contradicts the prototype, which returns " + type);
  return std::nullopt;
}

}  // namespace assay::contract
