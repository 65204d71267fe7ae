#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/seed.h"
#include "examined.h"

namespace assay {
namespace {

using namespace testing_support;

const char* const kPairs = "a v = v diag(w)";
const char* const kUnit = "the columns of v are orthonormal";

TEST(Eigh, KnownPairsHoldAndOthersDoNot) {
  const double c = std::cos(0.3), s = std::sin(0.3);
  // v diag(1, 4) v'
  const Owned a = tensor_of(DType::f64, {2, 2}, {c * c + 4 * s * s, -3 * c * s, -3 * c * s, s * s + 4 * c * c});
  Owned w = tensor_of(DType::f64, {2}, {1, 4}), v = tensor_of(DType::f64, {2, 2}, {c, -s, s, c});
  const Call call = Call().with("a", a).with("w", w).with("v", v);
  EXPECT_EQ(broken(examined(call, "eigh")), "");
  EXPECT_LT(spent(find(examined(call, "eigh"), "a v = v diag(w)"), 0x1p-53), 2);
  v.set(0, v.at(0) + 1e-9);
  EXPECT_GT(spent(find(examined(call, "eigh"), "the columns of v are orthonormal"), 0x1p-53), 1e4);
  w.set(0, 5);
  EXPECT_EQ(broken(examined(call, "eigh")), "w rises");
}

using Rounding = float (*)(float);

float as_it_is(float value) {
  return value;
}

/// To the 11 bits of float16; its range doesn't matter here.
float half(float value) {
  const float wide = value * 8193.0F;
  return std::isfinite(wide) ? wide - (wide - value) : value;
}

struct Pairs {
  std::vector<float> w, v;
};

/// Two rows or columns, `step` from element to element.
void rotate(std::vector<float>& m, std::size_t n, std::size_t p, std::size_t q, std::size_t step, float c, float s,
            Rounding to) {
  for (std::size_t k = 0; k < n; ++k) {
    float &a = m[p + k * step], &b = m[q + k * step];
    const float low = to(to(c * a) - to(s * b)), high = to(to(s * a) + to(c * b));
    a = low, b = high;
  }
}

/// Jacobi's rotations with every result rounded by `to`; pairs in order.
Pairs solve(std::vector<float> m, std::size_t n, Rounding to) {
  std::vector<float> v(n * n, 0.0F);
  for (std::size_t i = 0; i < n; ++i) v[i * n + i] = 1.0F;
  for (int sweep = 0; sweep < 10; ++sweep) {
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (m[p * n + q] == 0.0F) continue;
        const float theta = to(to(m[q * n + q] - m[p * n + p]) / to(2.0F * m[p * n + q]));
        const float t = to((theta < 0 ? -1.0F : 1.0F) / to(std::fabs(theta) + to(std::hypot(theta, 1.0F))));
        const float c = to(1.0F / to(std::hypot(t, 1.0F))), s = to(t * c);
        rotate(m, n, p, q, n, c, s, to);
        rotate(m, n, p * n, q * n, 1, c, s, to);
        rotate(v, n, p, q, n, c, s, to);
      }
    }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return m[a * n + a] < m[b * n + b]; });
  Pairs pairs{{}, std::vector<float>(n * n)};
  for (std::size_t j = 0; j < n; ++j) {
    pairs.w.push_back(m[order[j] * n + order[j]]);
    for (std::size_t i = 0; i < n; ++i) pairs.v[i * n + j] = v[i * n + order[j]];
  }
  return pairs;
}

enum class Kind { any, clustered, steep, one_large, deficient };
constexpr std::array kKinds{Kind::any, Kind::clustered, Kind::steep, Kind::one_large, Kind::deficient};

/// Symmetric to the last bit; all but `any` are x x' weighted by steps of the spectrum that the kind asks for.
std::vector<float> symmetric(Kind kind, std::size_t n, std::uint64_t key) {
  const Owned x = random_tensor(DType::f64, {static_cast<std::int64_t>(n), static_cast<std::int64_t>(n)}, key);
  const auto weight = [&](std::size_t k) {
    if (kind == Kind::steep) return std::exp2(-2.0 * static_cast<double>(k));
    if (kind == Kind::one_large) return k == 0 ? 1.0 : 1e-4;
    return k < 2 ? 1.0 : 0.0;
  };
  std::vector<float> a(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum =
          kind == Kind::clustered ? 1e-6 * x.at(static_cast<std::int64_t>(i * n + j)) + (i == j ? 1.0 : 0.0) : 0.0;
      if (kind == Kind::any) sum = x.at(static_cast<std::int64_t>(i * n + j));
      for (std::size_t k = 0; k < n && kind != Kind::any && kind != Kind::clustered; ++k)
        sum += weight(k) * x.at(static_cast<std::int64_t>(i * n + k)) * x.at(static_cast<std::int64_t>(j * n + k));
      a[i * n + j] = a[j * n + i] = static_cast<float>(sum);
    }
  }
  return a;
}

struct Spent {
  double pairs = 0.0, unit = 0.0;
};

Owned float_tensor(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return tensor_of(DType::f32, std::move(shape), {values.begin(), values.end()});
}

/// What the oracle says of pairs, in units of the root of the roundings that it grants: beyond 4 to 5 it convicts.
Spent spent_by(const std::vector<float>& a, const Pairs& pairs) {
  const auto n = static_cast<std::int64_t>(pairs.w.size());
  const Owned matrix = float_tensor({n, n}, a), w = float_tensor({n}, pairs.w), v = float_tensor({n, n}, pairs.v);
  const auto seen = examined(Call().with("a", matrix).with("w", w).with("v", v), "eigh");
  EXPECT_EQ(broken(seen), "");
  return {spent(find(seen, kPairs), 0x1p-24), spent(find(seen, kUnit), 0x1p-24)};
}

TEST(Eigh, HonestSinglePrecisionSpendsLessThanHalf) {
  for (const std::size_t n : {1U, 2U, 3U, 4U, 7U, 16U, 32U}) {
    for (const Kind kind : kKinds) {
      for (std::uint64_t key = 0; key < 160 / (n * n) + 2; ++key) {
        const std::vector<float> a = symmetric(kind, n, key);
        const Spent s = spent_by(a, solve(a, n, as_it_is));
        ASSERT_LT(std::max(s.pairs, s.unit), 2.0) << "n = " << n << ", kind " << static_cast<int>(kind);
      }
    }
  }
}

TEST(Eigh, HalfPrecisionSpendsTooMuchAtEverySize) {
  for (const std::size_t n : {3U, 8U, 32U, 64U}) {
    for (std::uint64_t key = 0; key < 3; ++key) {
      const std::vector<float> a = symmetric(Kind::any, n, key);
      std::vector<float> rounded = a;
      std::transform(a.begin(), a.end(), rounded.begin(), half);
      const Spent all = spent_by(a, solve(rounded, n, half));
      EXPECT_GT(std::min(all.pairs, all.unit), 50.0) << "every operation, n = " << n;
      const Pairs pairs = solve(a, n, as_it_is);
      EXPECT_GT(spent_by(a, solve(rounded, n, as_it_is)).pairs, 20.0) << "the matrix alone, n = " << n;
      Pairs output = pairs;
      std::transform(pairs.w.begin(), pairs.w.end(), output.w.begin(), half);
      EXPECT_GT(spent_by(a, output).pairs, 20.0) << "eigenvalues alone, n = " << n;
      output = pairs;
      std::transform(pairs.v.begin(), pairs.v.end(), output.v.begin(), half);
      EXPECT_GT(spent_by(a, output).unit, 20.0) << "vectors alone, n = " << n;
    }
  }
}

/// A limit that grows with the number of pairs would let one of them be wrong.
TEST(Eigh, OneWrongPairIsFoundAndNamed) {
  const std::size_t n = 32;
  const std::vector<float> a = symmetric(Kind::any, n, 1);
  Pairs pairs = solve(a, n, as_it_is);
  pairs.w[20] *= 1.001F;
  const Owned matrix = float_tensor({32, 32}, a), w = float_tensor({32}, pairs.w), v = float_tensor({32, 32}, pairs.v);
  const auto seen = examined(Call().with("a", matrix).with("w", w).with("v", v), "eigh");
  EXPECT_GT(spent(find(seen, kPairs), 0x1p-24), 20.0);
  EXPECT_EQ(find(seen, kPairs).index, 20);
  EXPECT_EQ(find(seen, kPairs).elements, 32);
}

TEST(Eigh, ANaNIsFoundAndNamed) {
  const std::vector<float> a = symmetric(Kind::any, 4, 1);
  Pairs pairs = solve(a, 4, as_it_is);
  pairs.w[3] = NAN;
  const Owned matrix = float_tensor({4, 4}, a), w = float_tensor({4}, pairs.w), v = float_tensor({4, 4}, pairs.v);
  const auto seen = examined(Call().with("a", matrix).with("w", w).with("v", v), "eigh");
  EXPECT_TRUE(std::isnan(find(seen, kPairs).residual));
  EXPECT_EQ(find(seen, kPairs).index, 3);
}

}  // namespace
}  // namespace assay
