#include "abi/c_call.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "core/error.h"

namespace assay::abi {
namespace {

static_assert(std::endian::native == std::endian::little, "slots hold narrow values in their first bytes");

struct TypeRow {
  CType type;
  ffi_type* argument;
  ffi_type* returned;
};

constexpr std::size_t kTypes = 12;

/// One row per CType, in the order of the enumeration.
const std::array<TypeRow, kTypes> kRows{{
    {CType::i8, &ffi_type_sint8, &ffi_type_sint8},
    {CType::i16, &ffi_type_sint16, &ffi_type_sint16},
    {CType::i32, &ffi_type_sint64, &ffi_type_sint32},
    {CType::i64, &ffi_type_sint64, &ffi_type_sint64},
    {CType::u8, &ffi_type_uint8, &ffi_type_uint8},
    {CType::u16, &ffi_type_uint16, &ffi_type_uint16},
    {CType::u32, &ffi_type_uint64, &ffi_type_uint32},
    {CType::u64, &ffi_type_uint64, &ffi_type_uint64},
    {CType::f32, &ffi_type_float, &ffi_type_float},
    {CType::f64, &ffi_type_double, &ffi_type_double},
    {CType::boolean, &ffi_type_uint8, &ffi_type_uint8},
    {CType::pointer, &ffi_type_pointer, &ffi_type_pointer},
}};

const TypeRow& row(CType type) {
  const auto index = static_cast<std::size_t>(type);
  if (index >= kTypes) throw Error("unknown argument type " + std::to_string(index) + " in a call signature");
  return kRows[index];
}

}  // namespace

CCall::CCall(void* function, std::span<const CType> arguments, std::optional<CType> returns)
    : returns_(returns), count_(arguments.size()) {
  if (count_ > kMax) throw Error("a call has at most 64 arguments, this one has " + std::to_string(count_));
  // POSIX promises that an object pointer from dlsym holds a function's address; C++ only lets bits be copied.
  std::memcpy(&function_, &function, sizeof function_);
  for (std::size_t i = 0; i < count_; ++i) {
    types_[i] = row(arguments[i]).argument;
    pointers_[i] = &slots_[i];
  }
  ffi_type* returned = returns ? row(*returns).returned : &ffi_type_void;
  if (ffi_prep_cif(&cif_, FFI_DEFAULT_ABI, static_cast<unsigned>(count_), returned, types_.data()) != FFI_OK) {
    throw Error("libffi refuses a signature of " + std::to_string(count_) + " arguments");
  }
}

std::uint64_t CCall::operator()(std::span<const std::uint64_t> slots) {
  if (slots.size() != count_) {
    throw Error("call with " + std::to_string(slots.size()) + " arguments, the signature has " +
                std::to_string(count_));
  }
  std::copy(slots.begin(), slots.end(), slots_.begin());
  std::uint64_t value = 0;  // libffi widens narrow integers to a whole register, and leaves the rest of a float's alone
  ffi_call(&cif_, function_, &value, pointers_.data());
  return value;
}

}  // namespace assay::abi
