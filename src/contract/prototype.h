#pragma once
#include <optional>
#include <string>
#include <string_view>
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

struct PrototypeError {
  std::size_t offset = 0;
  std::string message;
};

/// A C declaration such as "int f(const float* x, int64_t n)".
struct Prototype {
  std::string name;
  std::size_t return_offset = 0;
  ReturnKind returns = ReturnKind::nothing;  ///< element: a value that can only be an output
  CType return_type = CType::i32;
  bool returns_known = false;          ///< false: what it returns could not be read
  std::vector<CParameter> parameters;  ///< those that could be read
  std::vector<PrototypeError> errors;  ///< all that is wrong, at most one per parameter; empty: all was read
};

/// Reads a declaration, as far as it can be read.
Prototype parse_prototype(std::string_view text);

}  // namespace assay::contract
