#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

/// Element types of schema 1 (CONTRACT.md, "Tensors").
enum class DType : std::uint8_t { f64, f32, f16, bf16, e4m3, e5m2, i64, i32, i16, i8, u64, u32, u16, u8, boolean };

enum class NumberClass : std::uint8_t { floating, signed_integer, unsigned_integer, boolean };

struct DTypeInfo {
  DType dtype;
  std::string_view name;  ///< long form, as printed
  int bytes;
  NumberClass number;
  int significand_bits;  ///< with the implicit one; 0 for integers. u = 2^-significand_bits
};

/// One row per element type, in the order of the enumeration.
inline constexpr std::array<DTypeInfo, 15> kDTypes{{
    {DType::f64, "float64", 8, NumberClass::floating, 53},
    {DType::f32, "float32", 4, NumberClass::floating, 24},
    {DType::f16, "float16", 2, NumberClass::floating, 11},
    {DType::bf16, "bfloat16", 2, NumberClass::floating, 8},
    {DType::e4m3, "float8_e4m3fn", 1, NumberClass::floating, 4},
    {DType::e5m2, "float8_e5m2", 1, NumberClass::floating, 3},
    {DType::i64, "int64", 8, NumberClass::signed_integer, 0},
    {DType::i32, "int32", 4, NumberClass::signed_integer, 0},
    {DType::i16, "int16", 2, NumberClass::signed_integer, 0},
    {DType::i8, "int8", 1, NumberClass::signed_integer, 0},
    {DType::u64, "uint64", 8, NumberClass::unsigned_integer, 0},
    {DType::u32, "uint32", 4, NumberClass::unsigned_integer, 0},
    {DType::u16, "uint16", 2, NumberClass::unsigned_integer, 0},
    {DType::u8, "uint8", 1, NumberClass::unsigned_integer, 0},
    {DType::boolean, "bool", 1, NumberClass::boolean, 0},
}};

constexpr const DTypeInfo& info(DType d) {
  return kDTypes[static_cast<std::size_t>(d)];
}
constexpr bool is_floating(DType d) {
  return info(d).number == NumberClass::floating;
}

/// Accepts the long names and the aliases that CONTRACT.md and ABI.md list (f32, half, __nv_bfloat16, …).
std::optional<DType> dtype_from_name(std::string_view name);

}  // namespace assay
