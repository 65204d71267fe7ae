#include "numerics/deviates.h"

#include "numerics/elementary.h"
#include "numerics/float_formats.h"

namespace assay {
namespace {

template <class Real>
constexpr bool kSingle = std::is_same_v<Real, float>;
template <class Real>
using Word = std::conditional_t<kSingle<Real>, std::uint32_t, std::uint64_t>;
template <class Real>
using Signed = std::make_signed_t<Word<Real>>;

/// Word of a lane: row `row` of a group for float, rows 2 row and 2 row + 1 for double.
template <class Real>
ASSAY_INLINE Word<Real> lane_word(const std::uint32_t* group, std::size_t row, std::size_t lane) {
  if constexpr (kSingle<Real>) {
    return group[row * kLanes + lane];
  } else {
    return group[2 * row * kLanes + lane] | Word<Real>{group[(2 * row + 1) * kLanes + lane]} << 32;
  }
}

template <class Real>
ASSAY_INLINE void uniform_group(const std::uint32_t* group, Real low, Real high, Real* out) {
  constexpr int kDropped = kSingle<Real> ? 8 : 11;
  constexpr Real kStep = kSingle<Real> ? Real(0x1p-24) : Real(0x1p-53);
  const Real width = high - low;
  for (std::size_t row = 0; row < kPerGroup<Real> / kLanes; ++row) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      const auto whole = static_cast<Signed<Real>>(lane_word<Real>(group, row, i) >> kDropped);
      const Real value = low + width * (static_cast<Real>(whole) * kStep);
      out[row * kLanes + i] = value < high ? value : high;
    }
  }
}

/// Both deviates of one pair: radius from `u`, angle from `a`, whose top two bits are the quadrant.
template <class Real>
ASSAY_INLINE void normal_pair(Word<Real> u, Word<Real> a, Real& first, Real& second) {
  using Bits = Word<Real>;
  constexpr int kWidth = 8 * sizeof(Bits);
  constexpr Real kStep = kSingle<Real> ? Real(0x1p-31) : Real(0x1p-63);
  constexpr Real kAngle = Real(1.57079632679489661923) * (kSingle<Real> ? Real(0x1p-32) : Real(0x1p-64));
  const Real unit = (static_cast<Real>(static_cast<Signed<Real>>(u >> 1)) + Real(0.5)) * kStep;
  const Real square = Real(-2) * draw_log<Real>(unit);
  const Real radius = kSingle<Real> ? Real(__builtin_sqrtf(square > 0 ? square : Real(0)))
                                    : Real(__builtin_sqrt(square > 0 ? square : Real(0)));
  const Real x = static_cast<Real>(static_cast<Signed<Real>>((a << 2) ^ (Bits{1} << (kWidth - 1)))) * kAngle;
  const Bits cosine = std::bit_cast<Bits>(draw_cos<Real>(x) * radius);
  const Bits sine = std::bit_cast<Bits>(draw_sin<Real>(x) * radius);
  const Bits swap = Bits{0} - ((a >> (kWidth - 2)) & 1);
  const Bits top = Bits{1} << (kWidth - 1);
  first = std::bit_cast<Real>(((cosine & ~swap) | (sine & swap)) ^ ((a ^ (a << 1)) & top));
  second = std::bit_cast<Real>(((sine & ~swap) | (cosine & swap)) ^ (a & top));
}

template <class Real>
ASSAY_INLINE void normal_group(const std::uint32_t* group, Real mean, Real std, Real* out) {
  for (std::size_t row = 0; row < kPerGroup<Real> / kLanes; row += 2) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      Real first, second;
      normal_pair<Real>(lane_word<Real>(group, row, i), lane_word<Real>(group, row + 1, i), first, second);
      out[row * kLanes + i] = mean + std * first;
      out[(row + 1) * kLanes + i] = mean + std * second;
    }
  }
}

template <class Codec>
ASSAY_INLINE void encode_as(const float* __restrict from, std::size_t count, std::byte* __restrict to, Codec codec) {
  for (std::size_t i = 0; i < count; ++i) {
    store_bits(to + 2 * i, codec.encode(static_cast<double>(from[i]), Overflow::saturate), codec);
  }
}

}  // namespace

ASSAY_VECTORISED void encode_f16(const float* from, std::size_t count, std::byte* to) {
  encode_as(from, count, to, Codec<DType::f16>{});
}

ASSAY_VECTORISED void encode_bf16(const float* from, std::size_t count, std::byte* to) {
  encode_as(from, count, to, Codec<DType::bf16>{});
}

ASSAY_VECTORISED void uniform_deviates(const std::uint32_t* __restrict words, std::size_t groups, float low, float high,
                                       float* __restrict out) {
  for (std::size_t g = 0; g < groups; ++g)
    uniform_group(words + g * kGroupWords, low, high, out + g * kPerGroup<float>);
}

ASSAY_VECTORISED void uniform_deviates(const std::uint32_t* __restrict words, std::size_t groups, double low,
                                       double high, double* __restrict out) {
  for (std::size_t g = 0; g < groups; ++g) {
    uniform_group(words + g * kGroupWords, low, high, out + g * kPerGroup<double>);
  }
}

ASSAY_VECTORISED void normal_deviates(const std::uint32_t* __restrict words, std::size_t groups, float mean, float std,
                                      float* __restrict out) {
  for (std::size_t g = 0; g < groups; ++g) normal_group(words + g * kGroupWords, mean, std, out + g * kPerGroup<float>);
}

ASSAY_VECTORISED void normal_deviates(const std::uint32_t* __restrict words, std::size_t groups, double mean,
                                      double std, double* __restrict out) {
  for (std::size_t g = 0; g < groups; ++g) {
    normal_group(words + g * kGroupWords, mean, std, out + g * kPerGroup<double>);
  }
}

}  // namespace assay
