#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/contract.h"

namespace assay::contract {

/// One parameter of a C declaration.
struct CParameter {
  std::string name;
  std::size_t offset = 0;  ///< of the name, in bytes
  CType type = CType::pointer;
  bool is_stream = false;        ///< cudaStream_t and its like; `type` is pointer
  std::optional<DType> element;  ///< of a pointer: nothing for void*
};

/// A C declaration such as "int f(const float* x, int64_t n)".
struct Prototype {
  std::string name;
  std::size_t return_offset = 0;
  ReturnKind returns = ReturnKind::nothing;  ///< element: a value that can only be an output
  CType return_type = CType::i32;
  std::vector<CParameter> parameters;
};

struct PrototypeError {
  std::size_t offset = 0;
  std::string message;
};

/// Reads a declaration; all that is wrong with it, at most one error per parameter.
std::variant<Prototype, std::vector<PrototypeError>> parse_prototype(std::string_view text);

}  // namespace assay::contract
