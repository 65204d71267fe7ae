#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/call.h"
#include "core/tensor.h"
#include "device/lent_memory.h"

namespace assay {

using Bytes = std::vector<std::byte>;

/// What a call is lent: the contract's tensors in order, then the workspace where there is one.
struct Buffer {
  std::string name;
  Role role = Role::in;
  DType dtype = DType::u8;
  std::uint64_t bytes = 0;
  const ConcreteTensor* tensor = nullptr;  ///< null: the workspace

  bool holds_input() const { return assay::holds_input(role); }
  bool holds_output() const { return assay::holds_output(role); }
  Lending lending() const { return role == Role::in ? Lending::read_only : Lending::writable; }
};

/// Name of the buffer that stands for `memory.workspace`.
inline constexpr const char* kWorkspaceName = "workspace";

std::vector<Buffer> buffers_of(const Contract& contract, const ConcreteShape& shape);

/// The elements of a tensor without what lies between strided ones. `bytes` are its whole extent.
Bytes packed(const Contract& contract, const ConcreteTensor& tensor, const std::byte* bytes);

}  // namespace assay
