#include "contract/prototype.h"

#include <gtest/gtest.h>

#include "core/arguments.h"

namespace assay::contract {
namespace {

/// "name:type" per parameter; pointers show their element, streams say so.
std::string shown(const Prototype& prototype) {
  std::string text;
  for (const CParameter& p : prototype.parameters) {
    if (!text.empty()) text += " ";
    text += p.name + ":";
    if (p.is_stream) {
      text += "stream";
    } else if (p.type != CType::pointer) {
      text += name_of(p.type);
    } else {
      text += (p.element ? std::string(info(*p.element).name) : "void") + "*";
    }
  }
  for (const PrototypeError& e : prototype.errors) text += " !" + std::to_string(e.offset) + " " + e.message;
  return text;
}

std::string parameters(std::string_view list) {
  return shown(parse_prototype("void f(" + std::string(list) + ")"));
}

struct Case {
  std::string_view text, expected;
};

TEST(Prototype, ParameterTypes) {
  constexpr Case kCases[] = {
      {"", ""},
      {"void", ""},
      {"int n", "n:i32"},
      {"signed n", "n:i32"},
      {"unsigned n", "n:u32"},
      {"unsigned int n", "n:u32"},
      {"short n, short int m, unsigned short k", "n:i16 m:i16 k:u16"},
      {"long n, long int m, unsigned long k", "n:i64 m:i64 k:u64"},
      {"long long n, unsigned long long m, long unsigned int k", "n:i64 m:u64 k:u64"},
      {"const int n, int const m", "n:i32 m:i32"},
      {"int8_t a, int16_t b, int32_t c, int64_t d", "a:i8 b:i16 c:i32 d:i64"},
      {"uint8_t a, uint16_t b, uint32_t c, uint64_t d, size_t e", "a:u8 b:u16 c:u32 d:u64 e:u64"},
      {"i32 a, usize b, f32 c, ptr d", "a:i32 b:u64 c:f32 d:void*"},
      {"float a, double b, bool c, _Bool d", "a:f32 b:f64 c:bool d:bool"},
      {"const float* x, const float *y, float * z, float const* w", "x:float32* y:float32* z:float32* w:float32*"},
      {"const float* restrict x, float* __restrict__ y, float* const z", "x:float32* y:float32* z:float32*"},
      {"const void *x, void* y", "x:void* y:void*"},
      {"half* a, const __half* b, __nv_bfloat16* c", "a:float16* b:float16* c:bfloat16*"},
      {"__nv_fp8_e4m3* a, __nv_fp8_e5m2* b", "a:float8_e4m3fn* b:float8_e5m2*"},
      {"int* a, unsigned char* b, bool* c, long* d", "a:int32* b:uint8* c:bool* d:int64*"},
      {"float x[], const int y[64]", "x:float32* y:int32*"},
      {"cudaStream_t stream, hipStream_t s, CUstream t", "stream:stream s:stream t:stream"},
      {"void* stream, CUdeviceptr x", "stream:void* x:void*"},
      {"\n  float* x,\n\tint n\n", "x:float32* n:i32"},
      {"float*x,int n", "x:float32* n:i32"}};
  for (const Case& c : kCases) EXPECT_EQ(parameters(c.text), c.expected) << c.text;
}

TEST(Prototype, RefusedParameters) {
  constexpr Case kCases[] = {
      {"int", " !7 parameter 1 has no name: names say what is passed"},
      {"unsigned long", " !7 parameter 1 has no name: names say what is passed"},
      {"const float*", " !7 parameter 1 has no name: names say what is passed"},
      {"n",
       " !7 unknown type 'n'; known: C's integers, float, double, bool, pointers to them or to void, half, "
       "__nv_bfloat16 and __nv_fp8 pointers, streams"},
      {"void x", " !7 'void' can't be passed by value"},
      {"short long n",
       " !7 unknown type 'short long'; known: C's integers, float, double, bool, pointers to them or to "
       "void, half, __nv_bfloat16 and __nv_fp8 pointers, streams"},
      {"float* x y", " !16 unexpected 'y' after the name 'x'"},
      {"float x[2][2]", " !14 only one pair of brackets is allowed: write a pointer"},
      {"float x[", " !14 only one pair of brackets is allowed: write a pointer"},
      {"float 3x", " !13 unexpected '3x'"},
      {"int n, ...", "n:i32 !14 variable arguments are not supported"},
      {"int n, struct P p, int m", "n:i32 m:i32 !14 struct by value is not supported"},
      {"int* volatile* p", " !7 a pointer to a pointer is not supported"},
      {"int n, void (*g)(int, int), int m", "n:i32 m:i32 !19 function pointers are not supported"}};
  for (const Case& c : kCases) EXPECT_EQ(parameters(c.text), c.expected) << c.text;
}

TEST(Prototype, Returns) {
  struct Row {
    std::string_view type;
    ReturnKind kind;
    CType register_type;
  };
  constexpr Row kRows[] = {
      {"void", ReturnKind::nothing, CType::i32},         {"int", ReturnKind::status32, CType::i32},
      {"int32_t", ReturnKind::status32, CType::i32},     {"long", ReturnKind::status64, CType::i64},
      {"int64_t", ReturnKind::status64, CType::i64},     {"cudaError_t", ReturnKind::cuda_error, CType::i32},
      {"hipError_t", ReturnKind::hip_error, CType::i32}, {"CUresult", ReturnKind::cu_result, CType::i32},
      {"float", ReturnKind::element, CType::f32},        {"size_t", ReturnKind::element, CType::u64}};
  for (const Row& row : kRows) {
    const Prototype prototype = parse_prototype(std::string(row.type) + " f(int n);");
    EXPECT_TRUE(prototype.errors.empty()) << row.type;
    EXPECT_EQ(prototype.name, "f");
    EXPECT_TRUE(prototype.returns_known);
    EXPECT_EQ(prototype.returns, row.kind) << row.type;
    EXPECT_EQ(prototype.return_type, row.register_type) << row.type;
  }
}

TEST(Prototype, AMistakeDoesNotHideOthersOrTheRest) {
  const Prototype prototype = parse_prototype("int* f(foo x, int n, ...) int");
  EXPECT_EQ(prototype.errors.size(), 4U);
  ASSERT_EQ(prototype.parameters.size(), 1U);
  EXPECT_EQ(prototype.parameters[0].name, "n");
  EXPECT_EQ(prototype.parameters[0].offset, 18U);
}

TEST(Prototype, HostileTextsEndSoon) {
  EXPECT_EQ(parse_prototype(std::string(100000, 'a')).errors.size(), 1U);
  EXPECT_FALSE(parse_prototype("int f(" + std::string(10000, '(')).errors.empty());
  std::string many = "int f(int a0";
  for (int i = 1; i < 1000; ++i) many += ", int a" + std::to_string(i);
  EXPECT_EQ(parse_prototype(many + ")").errors.back().message, "more than 256 parameters");
}

}  // namespace
}  // namespace assay::contract
