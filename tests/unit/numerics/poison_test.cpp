#include "numerics/poison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "support.h"

namespace assay {
namespace {

using namespace testing_support;

std::uint64_t bits_at(const Owned& x, std::int64_t i) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, x.bytes.data() + i * info(x.dtype).bytes, static_cast<std::size_t>(info(x.dtype).bytes));
  return bits;
}

TEST(Poison, CanBeRecognisedAtEveryPlaceInEveryType) {
  for (const DTypeInfo& d : kDTypes) {
    for (const Poison p : {Poison::quiet_nan, Poison::small_finite}) {
      Owned x(d.dtype, {5000});
      const PoisonSpec spec{p, derive_key(seed(), 4, "poison")};
      fill_poison(x.bytes, spec, d.dtype);
      for (std::int64_t i = 0; i < 5000; ++i) {
        ASSERT_EQ(bits_at(x, i), poison_bits(spec, d.dtype, static_cast<std::uint64_t>(i))) << d.name << " " << i;
      }
    }
  }
}

TEST(Poison, NanIsQuietNanAndSmallIsSmall) {
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::e4m3, DType::e5m2}) {
    Owned x(dtype, {3000});
    fill_poison(x.bytes, {Poison::quiet_nan, {}}, dtype);
    for (const double v : x.all()) ASSERT_TRUE(std::isnan(v));
    fill_poison(x.bytes, {Poison::small_finite, {}}, dtype);
    for (const double v : x.all()) ASSERT_TRUE(std::fabs(v) >= 0x1p-6 && std::fabs(v) < 1.0) << v;
  }
  Owned f(DType::f32, {3000});
  fill_poison(f.bytes, {Poison::quiet_nan, {}}, DType::f32);
  for (std::int64_t i = 0; i < 3000; ++i) ASSERT_TRUE(bits_at(f, i) & 0x400000) << "quiet bit";
}

TEST(Poison, BooleansAreNeitherAndIntegersAreLarge) {
  Owned b(DType::boolean, {1000}), i(DType::i32, {1000});
  fill_poison(b.bytes, {Poison::small_finite, {}}, DType::boolean);
  for (const double v : b.all()) ASSERT_GT(v, 1);
  fill_poison(i.bytes, {Poison::quiet_nan, {}}, DType::i32);
  for (const double v : i.all()) ASSERT_GE(std::fabs(v + 0.5), 1 << 30 >> 1);
}

TEST(Poison, OtherAnswersAreRefused) {
  std::vector<std::byte> region(8);
  EXPECT_THROW(fill_poison(region, {Poison::other_answer, {}}, DType::f32), Error);
}

TEST(RandomBytes, EveryChangedByteIsFound) {
  std::vector<std::byte> region(9001);
  const StreamKey key = derive_key(seed(), 1, "red zone");
  fill_random_bytes(region, key);
  EXPECT_FALSE(first_difference(region, key));
  for (std::size_t at = 0; at < region.size(); at += 97) {
    region[at] ^= std::byte{1};
    EXPECT_EQ(first_difference(region, key), at);
    region[at] ^= std::byte{1};
  }
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(region[i], std::byte{stream_byte(key, i)});
  EXPECT_FALSE(first_difference({}, key));
}

}  // namespace
}  // namespace assay
