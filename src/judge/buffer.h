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

  bool holds_input() const { return role == Role::in || role == Role::inout; }
  bool holds_output() const { return role == Role::out || role == Role::inout; }
  Lending lending() const { return role == Role::in ? Lending::read_only : Lending::writable; }
};

/// Name of the buffer that stands for `memory.workspace`.
inline constexpr const char* kWorkspaceName = "workspace";

std::vector<Buffer> buffers_of(const Contract& contract, const ConcreteShape& shape);

}  // namespace assay
