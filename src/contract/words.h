#pragma once
#include <array>

#include "contract/reader.h"

/// The closed sets of words of schema 1 (CONTRACT.md).
namespace assay::contract {

inline constexpr std::array<Word<Role>, 4> kRoles{
    {{"in", Role::in}, {"out", Role::out}, {"inout", Role::inout}, {"scratch", Role::scratch}}};

inline constexpr std::array<Word<ValueKind>, 15> kValueKinds{{{"normal", ValueKind::normal},
                                                              {"uniform", ValueKind::uniform},
                                                              {"log_uniform", ValueKind::log_uniform},
                                                              {"integers", ValueKind::integers},
                                                              {"positive", ValueKind::positive},
                                                              {"probabilities", ValueKind::probabilities},
                                                              {"mask", ValueKind::mask},
                                                              {"index", ValueKind::index},
                                                              {"permutation", ValueKind::permutation},
                                                              {"offsets", ValueKind::offsets},
                                                              {"spd", ValueKind::spd},
                                                              {"orthogonal", ValueKind::orthogonal},
                                                              {"choice", ValueKind::choice},
                                                              {"constant", ValueKind::constant},
                                                              {"file", ValueKind::file}}};

inline constexpr std::array<Word<Abi>, 5> kAbis{{{"c", Abi::c},
                                                 {"tvm-ffi", Abi::tvm_ffi},
                                                 {"cuda-module", Abi::cuda_module},
                                                 {"hip-module", Abi::hip_module},
                                                 {"python", Abi::python}}};

inline constexpr std::array<Word<Precision>, 9> kPrecisions{{{"float64", Precision::f64},
                                                             {"float32", Precision::f32},
                                                             {"tf32", Precision::tf32},
                                                             {"float16", Precision::f16},
                                                             {"bfloat16", Precision::bf16},
                                                             {"float8_e4m3fn", Precision::e4m3},
                                                             {"float8_e5m2", Precision::e5m2},
                                                             {"exact", Precision::exact},
                                                             {"bits", Precision::bits}}};

inline constexpr std::array<Word<Policy>, 2> kPolicies{
    {{"calibrated", Policy::calibrated}, {"allclose", Policy::allclose}}};

inline constexpr std::array<Word<SpecialValues>, 2> kSpecialValues{
    {{"propagate", SpecialValues::propagate}, {"undefined", SpecialValues::undefined}}};

inline constexpr std::array<Word<Denormals>, 2> kDenormals{{{"keep", Denormals::keep}, {"flush", Denormals::flush}}};

inline constexpr std::array<Word<Lifetime>, 3> kLifetimes{{{"fixed-address", Lifetime::fixed_address},
                                                           {"reused-buffers", Lifetime::reused_buffers},
                                                           {"serving", Lifetime::serving}}};

inline constexpr std::array<Word<Regime>, 2> kRegimes{{{"cold", Regime::cold}, {"hot", Regime::hot}}};

/// What registers hold, as `args` and `returns` spell it.
inline constexpr std::array<Word<CType>, 13> kCTypes{{{"i8", CType::i8},
                                                      {"i16", CType::i16},
                                                      {"i32", CType::i32},
                                                      {"i64", CType::i64},
                                                      {"u8", CType::u8},
                                                      {"u16", CType::u16},
                                                      {"u32", CType::u32},
                                                      {"u64", CType::u64},
                                                      {"usize", CType::u64},
                                                      {"f32", CType::f32},
                                                      {"f64", CType::f64},
                                                      {"bool", CType::boolean},
                                                      {"ptr", CType::pointer}}};

/// Names that have a meaning of their own as arguments ("Entry").
inline constexpr std::array<std::string_view, 6> kReservedNames{"stream",          "device", "workspace",
                                                                "workspace_bytes", "null",   "const"};

/// Words of the expression language: no axis may be called so.
inline constexpr std::array<std::string_view, 5> kExpressionWords{"min", "max", "ceildiv", "and", "or"};

}  // namespace assay::contract
