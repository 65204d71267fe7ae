#include "numerics/generator.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "support.h"

namespace assay {
namespace {

using namespace testing_support;

struct Moments {
  double mean = 0, variance = 0, fourth = 0;
};

Moments moments(const std::vector<double>& x) {
  Moments m;
  for (const double v : x) m.mean += v / static_cast<double>(x.size());
  for (const double v : x) m.variance += (v - m.mean) * (v - m.mean) / static_cast<double>(x.size());
  for (const double v : x) m.fourth += std::pow(v - m.mean, 4) / static_cast<double>(x.size());
  return m;
}

/// Kolmogorov-Smirnov distance times √n; above 2.2 has probability 1e-4.
template <class Cdf>
double ks(std::vector<double> x, Cdf&& cdf) {
  std::sort(x.begin(), x.end());
  double worst = 0.0;
  const double n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = cdf(x[i]);
    worst = std::max({worst, (static_cast<double>(i) + 1) / n - f, f - static_cast<double>(i) / n});
  }
  return worst * std::sqrt(n);
}

TEST(Generator, NormalHasTheRightShape) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    Owned x(dtype, {100003});
    ConcreteValues values = kind(ValueKind::normal);
    values.spec.mean = 3.0;
    values.spec.std = 2.0;
    fill(x, values);
    const Moments m = moments(x.all());
    EXPECT_NEAR(m.mean, 3.0, 0.03);
    EXPECT_NEAR(m.variance, 4.0, 0.08);
    EXPECT_NEAR(m.fourth / (m.variance * m.variance), 3.0, 0.1);
    EXPECT_LT(ks(x.all(), [](double v) { return 0.5 * std::erfc(-(v - 3.0) / 2.0 / std::sqrt(2.0)); }), 2.2);
    const auto all = x.all();
    EXPECT_GT(*std::max_element(all.begin(), all.end()), 3.0 + 2 * 3.7);
    EXPECT_LT(*std::max_element(all.begin(), all.end()), 3.0 + 2 * 7);
  }
}

TEST(Generator, NeighboursAreUncorrelated) {
  Owned x(DType::f32, {65536});
  fill(x, kind(ValueKind::normal));
  const auto v = x.all();
  for (const std::size_t lag : {1u, 2u, 16u, 32u, 64u}) {
    double sum = 0;
    for (std::size_t i = 0; i + lag < v.size(); ++i) sum += v[i] * v[i + lag];
    EXPECT_LT(std::fabs(sum) / 256, 4.5) << lag;
  }
}

TEST(Generator, UniformStaysInsideAndIsUniform) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    Owned x(dtype, {100000});
    ConcreteValues values = kind(ValueKind::uniform);
    values.spec.low = -2.0;
    values.spec.high = 5.0;
    fill(x, values);
    for (const double v : x.all()) ASSERT_TRUE(v >= -2.0 && v <= 5.0);
    EXPECT_LT(ks(x.all(), [](double v) { return (v + 2.0) / 7.0; }), 2.2);
  }
}

TEST(Generator, LogUniformPositiveAndMask) {
  Owned x(DType::f64, {50000});
  ConcreteValues values = kind(ValueKind::log_uniform);
  values.spec.low = 1e-4;
  values.spec.high = 1e4;
  fill(x, values);
  EXPECT_LT(ks(x.all(), [](double v) { return (std::log10(v) + 4) / 8; }), 2.2);
  fill(x, kind(ValueKind::positive));
  for (const double v : x.all()) ASSERT_GT(v, 0.0);
  EXPECT_LT(ks(x.all(), [](double v) { return std::erf(v / std::sqrt(2.0)); }), 2.2);
  values = kind(ValueKind::mask);
  values.spec.p = 0.2;
  Owned m(DType::boolean, {50000});
  fill(m, values);
  double ones = 0;
  for (const double v : m.all()) ones += v;
  EXPECT_NEAR(ones / 50000, 0.2, 0.01);
}

TEST(Generator, IntegersCoverTheirRangeEvenly) {
  Owned x(DType::i32, {60000});
  ConcreteValues values = kind(ValueKind::integers);
  values.spec.low = -2;
  values.spec.high = 3;
  fill(x, values);
  std::vector<int> counts(6, 0);
  for (const double v : x.all()) ++counts.at(static_cast<std::size_t>(v + 2));
  for (const int c : counts) EXPECT_NEAR(c, 10000, 500);
}

// A device must be able to draw any element alone: 64-bit words are rows 0 and 1, or 2 and 3, of a group of lanes.
TEST(Generator, WholeNumbersFollowTheDocumentedLayout) {
  Owned x(DType::i64, {500});
  fill(x, kind(ValueKind::index, std::int64_t{1} << 50));
  const StreamKey key = derive_key(seed(), 0, "x");
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::uint64_t at = i / 32 * 64 + i % 32 / 16 * 32 + i % 16;
    const std::uint64_t word = stream_word(key, at) | std::uint64_t{stream_word(key, at + 16)} << 32;
    ASSERT_EQ(x.at(static_cast<std::int64_t>(i)), static_cast<double>(word >> 14));
  }
}

TEST(Generator, IsAPureFunctionOfSeedDrawNameAndPlace) {
  const ConcreteValues values = kind(ValueKind::normal);
  Owned a(DType::f32, {5000}), b(DType::f32, {5000}), prefix(DType::f32, {1777});
  const Generator one(seed()), same(seed()), other(seed(9));
  one.fill(a.view(), {}, values, "x");
  same.fill(b.view(), {}, values, "x");
  EXPECT_EQ(a.bytes, b.bytes);
  one.fill(prefix.view(), {}, values, "x");
  EXPECT_TRUE(std::equal(prefix.bytes.begin(), prefix.bytes.end(), a.bytes.begin()));
  other.fill(b.view(), {}, values, "x");
  EXPECT_NE(a.bytes, b.bytes);
  one.fill(b.view(), {1, {}}, values, "x");
  EXPECT_NE(a.bytes, b.bytes);
  one.fill(b.view(), {}, values, "y");
  EXPECT_NE(a.bytes, b.bytes);
}

// Replays depend on these bits; a change of any transform is a change of every report.
TEST(Generator, BitsArePinned) {
  Owned x(DType::f32, {64});
  fill(x, kind(ValueKind::normal));
  double sum = 0;
  for (std::int64_t i = 0; i < 64; ++i) sum += x.at(i) * (static_cast<double>(i) + 1);
  EXPECT_DOUBLE_EQ(sum, 508.66453805658966);
}

TEST(Generator, StridesLeaveGapsAlone) {
  rc::check("any padding", [] {
    const auto rows = *rc::gen::inRange<std::int64_t>(1, 9), columns = *rc::gen::inRange<std::int64_t>(1, 70);
    const auto pad = *rc::gen::inRange<std::int64_t>(1, 5);
    Owned strided(DType::f32, {rows, columns}, {columns + pad, 1}), packed(DType::f32, {rows, columns});
    fill(strided, kind(ValueKind::uniform));
    fill(packed, kind(ValueKind::uniform));
    RC_ASSERT(strided.all() == packed.all());
    for (std::int64_t r = 0; r + 1 < rows; ++r) {
      for (std::int64_t p = 0; p < pad * 4; ++p) {
        RC_ASSERT(strided.bytes[static_cast<std::size_t>((r * (columns + pad) + columns) * 4 + p)] == std::byte{0x5a});
      }
    }
  });
}

TEST(Generator, OffsetsAreValidForAnyCount) {
  rc::check("first 0, last total, never decreasing", [] {
    const auto segments = *rc::gen::inRange<std::int64_t>(1, 60), total = *rc::gen::inRange<std::int64_t>(0, 5000);
    Owned x(DType::i32, {segments + 1});
    fill(x, kind(ValueKind::offsets, total), {static_cast<std::uint64_t>(total), {}});
    const auto v = x.all();
    RC_ASSERT(v.front() == 0.0 && v.back() == static_cast<double>(total));
    RC_ASSERT(std::is_sorted(v.begin(), v.end()));
  });
}

TEST(Generator, OffsetsHaveEmptyAndLargeSegments) {
  Owned x(DType::i64, {65});
  fill(x, kind(ValueKind::offsets, 6400));
  const auto v = x.all();
  int empty = 0;
  double largest = 0;
  for (std::size_t i = 1; i < v.size(); ++i) {
    empty += v[i] == v[i - 1];
    largest = std::max(largest, v[i] - v[i - 1]);
  }
  EXPECT_GE(empty, 5);
  EXPECT_GE(largest, 400);
}

TEST(Generator, PermutationsAndIndices) {
  Owned p(DType::i32, {3, 100});
  fill(p, kind(ValueKind::permutation, 100));
  for (int row = 0; row < 3; ++row) {
    std::vector<int> seen(100, 0);
    for (int i = 0; i < 100; ++i) ++seen.at(static_cast<std::size_t>(p.at(row * 100 + i)));
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 100);
  }
  Owned index(DType::u8, {5000});
  fill(index, kind(ValueKind::index, 7));
  for (const double v : index.all()) ASSERT_LT(v, 7);
  EXPECT_THROW(fill(index, kind(ValueKind::index, 0)), Error);
  EXPECT_THROW(fill(p, kind(ValueKind::permutation, 99)), Error);
}

TEST(Generator, ProbabilitiesSumToOne) {
  Owned x(DType::f64, {20, 333});
  fill(x, kind(ValueKind::probabilities));
  for (int row = 0; row < 20; ++row) {
    double sum = 0;
    for (int i = 0; i < 333; ++i) sum += x.at(row * 333 + i);
    EXPECT_NEAR(sum, 1.0, 1e-12);
  }
}

TEST(Generator, OrthogonalColumnsAreOrthonormal) {
  for (const auto& shape : {std::vector<std::int64_t>{40, 17}, std::vector<std::int64_t>{17, 40}}) {
    Owned q(DType::f64, shape);
    fill(q, kind(ValueKind::orthogonal));
    const bool tall = shape[0] > shape[1];
    const std::int64_t count = std::min(shape[0], shape[1]), length = std::max(shape[0], shape[1]);
    const auto at = [&](std::int64_t vector, std::int64_t i) {
      return tall ? q.at(i * shape[1] + vector) : q.at(vector * shape[1] + i);
    };
    for (std::int64_t a = 0; a < count; ++a) {
      for (std::int64_t b = 0; b < count; ++b) {
        double dot = 0;
        for (std::int64_t i = 0; i < length; ++i) dot += at(a, i) * at(b, i);
        ASSERT_NEAR(dot, a == b ? 1.0 : 0.0, 1e-13);
      }
    }
  }
}

TEST(Generator, SpdHasACholeskyFactorEvenInBfloat16) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    constexpr std::int64_t n = 60;
    Owned a(dtype, {n, n});
    fill(a, kind(ValueKind::spd));
    auto l = a.all();
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(a.at(i * n + j), a.at(j * n + i));
      for (std::int64_t k = 0; k < j; ++k) {
        for (std::int64_t i = j; i < n; ++i)
          l[static_cast<std::size_t>(i * n + j)] -=
              l[static_cast<std::size_t>(i * n + k)] * l[static_cast<std::size_t>(j * n + k)];
      }
      const double pivot = l[static_cast<std::size_t>(j * n + j)];
      ASSERT_GT(pivot, 0.0);
      for (std::int64_t i = j; i < n; ++i) l[static_cast<std::size_t>(i * n + j)] /= std::sqrt(pivot);
    }
  }
}

TEST(Generator, NothingToFillIsFine) {
  for (int k = 0; k <= static_cast<int>(ValueKind::constant); ++k) {
    Owned x(DType::f32, {0, 4});
    EXPECT_NO_THROW(fill(x, kind(static_cast<ValueKind>(k))));
  }
}

TEST(Edits, ApplyInOrder) {
  Owned plain(DType::f32, {100}), edited(DType::f32, {100});
  fill(plain, kind(ValueKind::normal));
  fill(edited, kind(ValueKind::normal), {0, {ScaleEdit{3}, NegateEdit{}, SetElementEdit{0.5, 1e30}}});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(edited.at(i), i == 50 ? static_cast<float>(1e30) : -8 * plain.at(i));
}

TEST(Edits, ReshuffleKeepsTheMultiset) {
  Owned plain(DType::f64, {1000}), mixed(DType::f64, {1000});
  fill(plain, kind(ValueKind::normal));
  fill(mixed, kind(ValueKind::normal), {0, {ReshuffleEdit{7}}});
  auto a = plain.all(), b = mixed.all();
  EXPECT_NE(a, b);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  EXPECT_EQ(a, b);
}

TEST(Edits, NudgeMovesEveryFloatByOneUlpEitherWay) {
  Owned plain(DType::f32, {4096}), moved(DType::f32, {4096});
  fill(plain, kind(ValueKind::normal));
  fill(moved, kind(ValueKind::normal), {0, {NudgeEdit{5}}});
  int up = 0;
  for (int i = 0; i < 4096; ++i) {
    const auto a = static_cast<float>(plain.at(i)), b = static_cast<float>(moved.at(i));
    ASSERT_TRUE(b == std::nextafterf(a, INFINITY) || b == std::nextafterf(a, -INFINITY));
    up += b > a;
  }
  EXPECT_NEAR(up, 2048, 200);
}

TEST(Edits, NudgeStaysFiniteAndLeavesSpecialValuesAlone) {
  for (const double value : {65504.0, -65504.0, 0.0, -0.0, static_cast<double>(INFINITY), static_cast<double>(NAN)}) {
    Owned x(DType::f16, {64});
    ConcreteValues values = kind(ValueKind::constant);
    values.spec.value = 1.0;
    for (int i = 0; i < 64; ++i) x.set(i, value);
    std::vector<ValueEdit> edits{NudgeEdit{3}};
    for (int i = 0; i < 64; ++i) edits.insert(edits.begin(), SetElementEdit{i / 64.0 + 1e-9, value});
    fill(x, values, {0, edits});
    for (const double v : x.all()) {
      if (std::isfinite(value)) {
        ASSERT_TRUE(std::isfinite(v) && v != value);
      } else {
        ASSERT_FALSE(std::isfinite(v));
      }
    }
  }
}

}  // namespace
}  // namespace assay
