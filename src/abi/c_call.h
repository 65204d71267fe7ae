#pragma once
#include <ffi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "core/contract.h"

namespace assay::abi {

/// Theory of operation
/// -------------------
/// A C function of any signature made of CType is called through libffi. The description of the call (`ffi_cif`) and
/// the array of pointers to the arguments are prepared once; a call copies the raw 64-bit slots and jumps. i32 and u32
/// are described as 64-bit integers, so that their upper halves reach the callee as the caller of this class left them:
/// the System V and AArch64 conventions leave them undefined, and a callee that reads more than it declared is at
/// fault. Narrower integers are extended, as compilers expect.
class CCall {
 public:
  /// Throws Error if there are more than 64 arguments or libffi refuses the signature.
  CCall(void* function, std::span<const CType> arguments, std::optional<CType> returns);
  CCall(const CCall&) = delete;
  CCall& operator=(const CCall&) = delete;

  /// Calls with raw slots (floats by bit pattern in the low bytes); `slots` must be as many as the arguments. Gives the
  /// returned register: integers extended by their type to 64 bits, floats by bit pattern, 0 for void.
  std::uint64_t operator()(std::span<const std::uint64_t> slots);

 private:
  static constexpr std::size_t kMax = 64;
  void (*function_)() = nullptr;
  std::optional<CType> returns_;
  std::size_t count_ = 0;
  ffi_cif cif_{};
  std::array<ffi_type*, kMax> types_{};
  std::array<std::uint64_t, kMax> slots_{};
  std::array<void*, kMax> pointers_{};
};

}  // namespace assay::abi
