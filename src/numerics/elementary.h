#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "numerics/vectorised.h"

/// Elementary functions from + - x / alone, so that host and device agree bit for bit (NUMERICS.md, "Generator"). Good
/// to a few units in the last place, which is plenty for drawing values; they never stand in for an oracle's functions.
namespace assay {

/// ln x for positive normal x: x = m 2^e with m in [sqrt(1/2), sqrt(2)); ln m = 2 atanh((m - 1) / (m + 1)) by its
/// series.
template <class Real>
ASSAY_INLINE Real draw_log(Real x) {
  constexpr bool kSingle = std::is_same_v<Real, float>;
  using Int = std::conditional_t<kSingle, std::int32_t, std::int64_t>;
  constexpr int kMantissa = kSingle ? 23 : 52;
  constexpr Int kRootHalf = kSingle ? Int{0x3f3504f3} : static_cast<Int>(0x3fe6a09e667f3bcdLL);
  const Int exponent = (std::bit_cast<Int>(x) - kRootHalf) >> kMantissa;
  const Real m = std::bit_cast<Real>(static_cast<Int>(std::bit_cast<Int>(x) - (exponent << kMantissa)));
  const Real s = (m - 1) / (m + 1);
  const Real t = s * s;
  constexpr int kTerms = kSingle ? 5 : 11;
  Real sum = Real(1) / (2 * kTerms - 1);
  for (int k = kTerms - 2; k >= 0; --k) sum = sum * t + Real(1) / Real(2 * k + 1);
  return static_cast<Real>(static_cast<std::int32_t>(exponent)) * Real(0.693147180559945309417) + 2 * s * sum;
}

/// exp x for |x| < 700: 2^k times the Taylor series on half of ln 2.
ASSAY_INLINE double draw_exp(double x) {
  constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;
  const double scaled = x * 0x1.71547652b82fep0;
  const auto k = static_cast<std::int32_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 1.0;
  for (int i = 14; i > 0; --i) sum = sum * r / i + 1.0;
  return sum * std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

/// sin and cos of x in [-pi/4, pi/4] by their Taylor series.
template <class Real>
ASSAY_INLINE Real draw_sin(Real x) {
  constexpr int kLast = std::is_same_v<Real, float> ? 9 : 19;
  const Real t = -x * x;
  Real sum = 1;
  for (int i = kLast; i > 1; i -= 2) sum = sum * t * (Real(1) / Real(i * (i - 1))) + 1;
  return sum * x;
}

template <class Real>
ASSAY_INLINE Real draw_cos(Real x) {
  constexpr int kLast = std::is_same_v<Real, float> ? 10 : 20;
  const Real t = -x * x;
  Real sum = 1;
  for (int i = kLast; i > 0; i -= 2) sum = sum * t * (Real(1) / Real(i * (i - 1))) + 1;
  return sum;
}

}  // namespace assay
