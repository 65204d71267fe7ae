#include "core/dtype.h"

namespace assay {
namespace {

struct Alias {
  std::string_view name;
  DType dtype;
};

constexpr Alias kAliases[] = {
    {"f64", DType::f64},
    {"double", DType::f64},
    {"F64", DType::f64},
    {"f32", DType::f32},
    {"float", DType::f32},
    {"F32", DType::f32},
    {"f16", DType::f16},
    {"half", DType::f16},
    {"__half", DType::f16},
    {"F16", DType::f16},
    {"f16_r", DType::f16},
    {"bf16", DType::bf16},
    {"BF16", DType::bf16},
    {"__nv_bfloat16", DType::bf16},
    {"e4m3", DType::e4m3},
    {"fp8_e4m3", DType::e4m3},
    {"float8_e4m3", DType::e4m3},
    {"__nv_fp8_e4m3", DType::e4m3},
    {"F8_E4M3", DType::e4m3},
    {"e5m2", DType::e5m2},
    {"fp8_e5m2", DType::e5m2},
    {"__nv_fp8_e5m2", DType::e5m2},
    {"F8_E5M2", DType::e5m2},
    {"i64", DType::i64},
    {"I64", DType::i64},
    {"long", DType::i64},
    {"i32", DType::i32},
    {"I32", DType::i32},
    {"int", DType::i32},
    {"i16", DType::i16},
    {"I16", DType::i16},
    {"short", DType::i16},
    {"i8", DType::i8},
    {"I8", DType::i8},
    {"u64", DType::u64},
    {"U64", DType::u64},
    {"u32", DType::u32},
    {"U32", DType::u32},
    {"u16", DType::u16},
    {"U16", DType::u16},
    {"u8", DType::u8},
    {"U8", DType::u8},
    {"boolean", DType::boolean},
    {"BOOL", DType::boolean},
};

}  // namespace

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const DTypeInfo& d : kDTypes) {
    if (d.name == name) return d.dtype;
  }
  for (const Alias& a : kAliases) {
    if (a.name == name) return a.dtype;
  }
  return std::nullopt;
}

}  // namespace assay
