#include "numerics/float_formats.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace assay {
namespace {

template <DType D>
void round_trips() {
  using Bits = typename Codec<D>::Bits;
  for (std::uint32_t b = 0; b < (1u << (8 * sizeof(Bits))); ++b) {
    const double value = Codec<D>::decode(static_cast<Bits>(b));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(Codec<D>::decode(Codec<D>::encode(value))));
      continue;
    }
    ASSERT_EQ(Codec<D>::encode(value), b) << value;
  }
}

/// Halfway between neighbours goes to the even one, a hair off goes to the nearer one.
template <DType D>
void ties_to_even(std::uint32_t largest) {
  using Bits = typename Codec<D>::Bits;
  for (std::uint32_t b = 0; b < largest; ++b) {
    const double low = Codec<D>::decode(static_cast<Bits>(b)), high = Codec<D>::decode(static_cast<Bits>(b + 1));
    const double middle = low + (high - low) / 2;
    ASSERT_EQ(Codec<D>::encode(middle), b % 2 == 0 ? b : b + 1);
    ASSERT_EQ(Codec<D>::encode(std::nextafter(middle, low)), b);
    ASSERT_EQ(Codec<D>::encode(std::nextafter(middle, high)), b + 1);
  }
}

TEST(FloatFormats, EveryBitPatternRoundTrips) {
  round_trips<DType::f16>();
  round_trips<DType::bf16>();
  round_trips<DType::e4m3>();
  round_trips<DType::e5m2>();
}

TEST(FloatFormats, RoundsToNearestEven) {
  ties_to_even<DType::f16>(0x7bff);
  ties_to_even<DType::bf16>(0x7f7f);
  ties_to_even<DType::e4m3>(0x7e);
  ties_to_even<DType::e5m2>(0x7b);
}

TEST(FloatFormats, KnownBits) {
  EXPECT_EQ(Codec<DType::f16>::encode(1.0), 0x3c00);
  EXPECT_EQ(Codec<DType::f16>::encode(65504.0), 0x7bff);
  EXPECT_EQ(Codec<DType::f16>::encode(65519.99), 0x7bff);
  EXPECT_EQ(Codec<DType::f16>::encode(65520.0), 0x7c00);
  EXPECT_EQ(Codec<DType::f16>::encode(65520.0, Overflow::saturate), 0x7bff);
  EXPECT_EQ(Codec<DType::bf16>::encode(-1.0), 0xbf80);
  EXPECT_EQ(Codec<DType::e4m3>::encode(448.0), 0x7e);
  EXPECT_EQ(Codec<DType::e4m3>::encode(465.0), 0x7f);
  EXPECT_EQ(Codec<DType::e4m3>::encode(-1e9, Overflow::saturate), 0xfe);
  EXPECT_EQ(Codec<DType::e4m3>::encode(INFINITY, Overflow::saturate), 0x7e);
  EXPECT_EQ(Codec<DType::e5m2>::encode(57344.0), 0x7b);
  EXPECT_EQ(Codec<DType::e5m2>::encode(-INFINITY, Overflow::saturate), 0xfc);
  EXPECT_EQ(Codec<DType::f32>::encode(1e39), 0x7f800000u);
  EXPECT_EQ(Codec<DType::f32>::encode(-1e39, Overflow::saturate), 0xff7fffffu);
  EXPECT_TRUE(std::signbit(Codec<DType::f16>::decode(Codec<DType::f16>::encode(-0.0))));
}

TEST(FloatFormats, Float16AgreesWithTheCompiler) {
  rc::check("random doubles of every magnitude", [](std::uint64_t bits) {
    const auto narrowed = (bits & 0x800fffffffffffffULL) | ((1023 - 30 + (bits >> 52) % 50) << 52);
    const double value = std::bit_cast<double>(narrowed);
    const auto theirs = static_cast<_Float16>(value);
    RC_ASSERT(Codec<DType::f16>::encode(value) == std::bit_cast<std::uint16_t>(theirs));
  });
}

TEST(FloatFormats, IntegersRoundAndClamp) {
  EXPECT_EQ(Codec<DType::i8>::encode(127.5), 127);
  EXPECT_EQ(static_cast<std::int8_t>(Codec<DType::i8>::encode(-1e9)), -128);
  EXPECT_EQ(Codec<DType::u8>::encode(-3.0), 0);
  EXPECT_EQ(Codec<DType::i32>::encode(2.5), 2u);
  EXPECT_EQ(Codec<DType::i32>::encode(3.5), 4u);
  EXPECT_EQ(Codec<DType::i32>::encode(NAN), 0u);
  EXPECT_EQ(Codec<DType::i64>::encode(9.3e18), 0x7fffffffffffffffULL);
}

TEST(FloatFormats, IsUsableInConstantExpressions) {
  static_assert(Codec<DType::bf16>::encode(1.00390625) == 0x3f80);  // a tie
  static_assert(Codec<DType::e5m2>::decode(0x3c) == 1.0);
  static_assert(limits_of(DType::f16).largest == 65504.0);
}

}  // namespace
}  // namespace assay
