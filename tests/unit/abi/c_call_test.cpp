#include "abi/c_call.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <vector>

#include "core/error.h"

namespace assay::abi {
namespace {

template <class To, class From>
To as(From value) {
  To to{};
  std::memcpy(&to, &value, std::min(sizeof to, sizeof value));
  return to;
}

std::uint64_t slot(float value) {
  return as<std::uint64_t>(value);
}
std::uint64_t slot(double value) {
  return as<std::uint64_t>(value);
}

template <class Function>
void* address(Function* function) {
  void* object = nullptr;
  std::memcpy(&object, &function, sizeof object);
  return object;
}

std::uint64_t call(void* function, std::vector<CType> types, std::optional<CType> returns,
                   std::vector<std::uint64_t> slots) {
  CCall prepared(function, types, returns);
  return prepared(slots);
}

double mixed(float* p, std::int32_t i, double d, std::int64_t l, float f, std::uint8_t u, std::int16_t s, bool b,
             std::uint32_t w, double e, std::int8_t c, std::uint16_t h, std::uint64_t q) {
  return *p + i * 2.0 + d * 3 + static_cast<double>(l) * 5 + f * 7 + u * 11 + s * 13 + (b ? 17 : 0) + w * 19.0 +
         e * 23 + c * 29 + h * 31 + static_cast<double>(q) * 37;
}

TEST(CCall, ThirteenMixedArguments) {
  float pointee = 0.5F;
  const std::vector<CType> types{CType::pointer, CType::i32, CType::f64, CType::i64, CType::f32, CType::u8, CType::i16,
                                 CType::boolean, CType::u32, CType::f64, CType::i8,  CType::u16, CType::u64};
  const std::uint64_t dirty = 0xabcdef0100000000ULL;
  const std::uint64_t got =
      call(address(&mixed), types, CType::f64,
           {as<std::uint64_t>(&pointee), dirty | as<std::uint32_t>(-3), slot(1.5), as<std::uint64_t>(std::int64_t{-9}),
            slot(2.5F), 200, as<std::uint16_t>(std::int16_t{-300}), 1, dirty | 4000000000U, slot(-0.25), 0xf0, 65535,
            1ULL << 40});
  EXPECT_EQ(as<double>(got),
            mixed(&pointee, -3, 1.5, -9, 2.5F, 200, -300, true, 4000000000U, -0.25, -16, 65535, 1ULL << 40));
}

std::uint64_t whole_register(std::uint64_t value) {
  return value;
}

TEST(CCall, UpperHalvesOf32BitIntegersArriveDirty) {
  const std::uint64_t dirty = 0x123456780000002aULL;
  EXPECT_EQ(call(address(&whole_register), {CType::i32}, CType::u64, {dirty}), dirty);
  EXPECT_EQ(call(address(&whole_register), {CType::u32}, CType::u64, {dirty}), dirty);
}

TEST(CCall, NarrowIntegersArriveExtended) {
  const std::uint64_t dirty = 0x12345678abcdff80ULL;
  EXPECT_EQ(call(address(&whole_register), {CType::u8}, CType::u64, {dirty}) & 0xffffffffU, 0x80U);
  EXPECT_EQ(call(address(&whole_register), {CType::i8}, CType::u64, {dirty}) & 0xffffffffU, 0xffffff80U);
  EXPECT_EQ(call(address(&whole_register), {CType::u16}, CType::u64, {dirty}) & 0xffffffffU, 0xff80U);
  EXPECT_EQ(call(address(&whole_register), {CType::i16}, CType::u64, {dirty}) & 0xffffffffU, 0xffffff80U);
}

std::int32_t minus_one() {
  return -1;
}
std::int8_t minus_two() {
  return -2;
}
std::uint32_t large() {
  return 0xfffffffeU;
}
float half() {
  return 0.5F;
}
double third() {
  return 1.0 / 3;
}
void* place() {
  return as<void*>(std::uint64_t{0x7fff00001000});
}
bool truth() {
  return true;
}
int calls = 0;
void nothing() {
  ++calls;
}

TEST(CCall, Returns) {
  EXPECT_EQ(as<std::int64_t>(call(address(&minus_one), {}, CType::i32, {})), -1);
  EXPECT_EQ(as<std::int64_t>(call(address(&minus_two), {}, CType::i8, {})), -2);
  EXPECT_EQ(call(address(&large), {}, CType::u32, {}), 0xfffffffeU);
  EXPECT_EQ(as<float>(call(address(&half), {}, CType::f32, {})), 0.5F);
  EXPECT_EQ(as<double>(call(address(&third), {}, CType::f64, {})), 1.0 / 3);
  EXPECT_EQ(call(address(&place), {}, CType::pointer, {}), 0x7fff00001000U);
  EXPECT_EQ(call(address(&truth), {}, CType::boolean, {}), 1U);
  EXPECT_EQ(call(address(&nothing), {}, std::nullopt, {}), 0U);
  EXPECT_EQ(calls, 1);
}

/// Takes 64 arguments by turns double and int64, weighted by position.
template <std::size_t... I>
double sum64_of(std::index_sequence<I...>, const double* d, const std::int64_t* l) {
  return ((d[I] * (2 * static_cast<double>(I) + 1) + static_cast<double>(l[I]) * (2 * static_cast<double>(I) + 2)) +
          ...);
}
#define PAIR(n) double d##n, std::int64_t l##n
double sum64(PAIR(0), PAIR(1), PAIR(2), PAIR(3), PAIR(4), PAIR(5), PAIR(6), PAIR(7), PAIR(8), PAIR(9), PAIR(10),
             PAIR(11), PAIR(12), PAIR(13), PAIR(14), PAIR(15), PAIR(16), PAIR(17), PAIR(18), PAIR(19), PAIR(20),
             PAIR(21), PAIR(22), PAIR(23), PAIR(24), PAIR(25), PAIR(26), PAIR(27), PAIR(28), PAIR(29), PAIR(30),
             PAIR(31)) {
  const double d[] = {d0,  d1,  d2,  d3,  d4,  d5,  d6,  d7,  d8,  d9,  d10, d11, d12, d13, d14, d15,
                      d16, d17, d18, d19, d20, d21, d22, d23, d24, d25, d26, d27, d28, d29, d30, d31};
  const std::int64_t l[] = {l0,  l1,  l2,  l3,  l4,  l5,  l6,  l7,  l8,  l9,  l10, l11, l12, l13, l14, l15,
                            l16, l17, l18, l19, l20, l21, l22, l23, l24, l25, l26, l27, l28, l29, l30, l31};
  return sum64_of(std::make_index_sequence<32>{}, d, l);
}
#undef PAIR

RC_GTEST_PROP(CCall, SixtyFourArgumentsKeepTheirPlaces, ()) {
  std::vector<CType> types;
  std::vector<std::uint64_t> slots;
  double wanted = 0;
  for (int i = 0; i < 32; ++i) {
    const int d = *rc::gen::inRange(-1000, 1000);
    const int l = *rc::gen::inRange(-1000, 1000);
    types.insert(types.end(), {CType::f64, CType::i64});
    slots.insert(slots.end(), {slot(static_cast<double>(d)), as<std::uint64_t>(std::int64_t{l})});
    wanted += d * (2 * i + 1) + l * (2 * i + 2);
  }
  RC_ASSERT(as<double>(call(address(&sum64), types, CType::f64, slots)) == wanted);
}

TEST(CCall, RefusesWhatMakesNoSense) {
  EXPECT_THROW(CCall(address(&nothing), std::vector<CType>(65, CType::i64), std::nullopt), Error);
  EXPECT_THROW(CCall(address(&nothing), std::vector<CType>{static_cast<CType>(99)}, std::nullopt), Error);
  CCall prepared(address(&whole_register), std::vector<CType>{CType::u64}, CType::u64);
  EXPECT_THROW(prepared(std::vector<std::uint64_t>{}), Error);
}

}  // namespace
}  // namespace assay::abi
