#include "numerics/comparator_chunk.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "numerics/float_formats.h"
#include "numerics/vectorised.h"

namespace assay {
namespace {

constexpr double kLeast = std::numeric_limits<double>::min();  // divisors stay normal: no 0/0, no infinity from 1/0

using Lanes = double __attribute__((vector_size(8 * kSumLanes)));

ASSAY_INLINE void load_lanes(const double* from, Lanes& lanes) {
  std::memcpy(&lanes, from, sizeof lanes);
}

template <class Codec>
ASSAY_INLINE std::uint64_t rounded_bits(double y, Codec codec) {
  if constexpr (Codec::kDType == DType::f32) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(y));  // IEEE: too large becomes infinite, as in Codec
  } else {
    return codec.encode(y);
  }
}

template <class Codec>
ASSAY_INLINE void load_as(const std::byte* actual, const double* truth, std::size_t count, Chunk& chunk, Codec codec) {
  using Bits = typename Codec::Bits;
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, actual + i * sizeof bits, sizeof bits);
    chunk.bits[i] = bits;
    chunk.x[i] = codec.decode(bits);
  }
  for (std::size_t i = 0; i < count; ++i) chunk.rounded[i] = rounded_bits(truth[i], codec);
}

ASSAY_VECTORISED void load_f32(const std::byte* actual, const double* truth, std::size_t count, Chunk& chunk) {
  load_as(actual, truth, count, chunk, Codec<DType::f32>{});
}

ASSAY_VECTORISED void load_f64(const std::byte* actual, const double* truth, std::size_t count, Chunk& chunk) {
  load_as(actual, truth, count, chunk, Codec<DType::f64>{});
}

void load_any(DType dtype, const std::byte* actual, const double* truth, std::size_t count, Chunk& chunk) {
  visit_dtype(dtype, [&](auto codec) { load_as(actual, truth, count, chunk, codec); });
}

/// Bits as integers in the order of the numbers they stand for; +0 and -0 are both 0.
template <int kWidth>
ASSAY_INLINE std::int64_t ordered(std::uint64_t bits) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << (kWidth - 1);
  const auto magnitude = static_cast<std::int64_t>(bits & (kSign - 1));
  return bits & kSign ? -magnitude : magnitude;
}

template <class Codec>
ASSAY_INLINE std::uint64_t distance(std::uint64_t a, std::uint64_t b) {
  using Bits = typename Codec::Bits;
  constexpr int kWidth = 8 * sizeof(Bits);
  std::int64_t x = 0, y = 0;
  if constexpr (Codec::kFloating) {
    x = ordered<kWidth>(a);
    y = ordered<kWidth>(b);
  } else if constexpr (info(Codec::kDType).number == NumberClass::signed_integer) {
    x = static_cast<std::make_signed_t<Bits>>(a);
    y = static_cast<std::make_signed_t<Bits>>(b);
  } else {
    return a > b ? a - b : b - a;
  }
  return x > y ? static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y)
               : static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x);
}

ASSAY_INLINE std::uint32_t rho_bin(double rho) {
  constexpr std::int64_t kFirst = (std::int64_t{1023 - kRhoOctaves / 2} * kRhoPerOctave);
  const std::int64_t bin = (std::bit_cast<std::int64_t>(rho) >> 47) - kFirst + 1;
  const std::int64_t last = static_cast<std::int64_t>(kRhoBins) - 1;
  return static_cast<std::uint32_t>(bin < 0 ? 0 : bin > last ? last : bin);
}

template <class Codec>
ASSAY_INLINE void count_as(const Chunk& chunk, Histograms& histograms) {
  constexpr std::uint64_t kHidden = Codec::kFloating ? std::uint64_t{1} << Codec::kMantissaBits : 0;
  for (std::size_t i = 0; i < chunk.count; ++i) {
    const std::uint64_t d = distance<Codec>(chunk.bits[i], chunk.rounded[i]);
    ++histograms.ulp[i % 4][static_cast<std::size_t>(std::bit_width(d))];
    ++histograms.rho[i % 2][rho_bin(chunk.rho[i])];
    if constexpr (Codec::kFloating) {
      const std::uint64_t significand = (chunk.bits[i] & (kHidden - 1)) | kHidden;
      histograms.zeros[i % 4][static_cast<std::size_t>(std::countr_zero(significand))] += chunk.x[i] != 0.0;
    }
  }
}

ASSAY_VECTORISED void count_f32(const Chunk& chunk, Histograms& histograms) {
  count_as<Codec<DType::f32>>(chunk, histograms);
}

ASSAY_VECTORISED bool ordinary(const Chunk& chunk, double least, double largest, double overflow) {
  std::int64_t odd = 0;
  for (std::size_t i = 0; i < chunk.count; ++i) {
    const double x = chunk.x[i] < 0 ? -chunk.x[i] : chunk.x[i];
    const double y = chunk.y[i] < 0 ? -chunk.y[i] : chunk.y[i];
    const bool x_zero = std::bit_cast<std::uint64_t>(chunk.x[i]) == 0;
    const bool y_zero = std::bit_cast<std::uint64_t>(chunk.y[i]) == 0;
    const bool fine = (x_zero | ((x >= least) & (x <= largest))) & (y_zero | ((y >= least) & (y < overflow)));
    odd |= static_cast<std::int64_t>(!fine);
  }
  return odd == 0;
}

double overflow_of(DType dtype) {
  const FloatLimits limits = limits_of(dtype);
  return dtype == DType::f64 ? std::numeric_limits<double>::infinity()
                             : limits.largest * (1 + limits.unit_roundoff / 2);
}

}  // namespace

ElementError element_error(double x, double y, double scale, const CompareOptions& options) {
  const double magnitude = y < 0 ? -y : y;
  const double error = x - y < 0 ? -(x - y) : x - y;
  const double unit = options.u * scale;
  const double inverse = 1.0 / (unit > kLeast ? unit : kLeast);
  const double left = (error - options.u_out * magnitude) - options.floor;
  return {error, error / (magnitude > kLeast ? magnitude : kLeast), error * inverse, (left > 0 ? left : 0.0) * inverse};
}

void load_chunk(DType dtype, const std::byte* actual, const double* truth, const double* scale, std::size_t count,
                Chunk& chunk) {
  chunk.count = count;
  if (dtype == DType::f32) {
    load_f32(actual, truth, count, chunk);
  } else if (dtype == DType::f64) {
    load_f64(actual, truth, count, chunk);
  } else {
    load_any(dtype, actual, truth, count, chunk);
  }
  std::memcpy(chunk.y.data(), truth, count * sizeof(double));
  std::memcpy(chunk.scale.data(), scale, count * sizeof(double));
  for (std::size_t i = count; i % kSumLanes != 0; ++i) {
    chunk.x[i] = chunk.y[i] = 0.0;
    chunk.scale[i] = 1.0;
    chunk.bits[i] = chunk.rounded[i] = 0;
  }
}

bool all_ordinary(DType dtype, const Chunk& chunk) {
  if (!is_floating(dtype)) return ordinary(chunk, 0.0, 0x1p64, std::numeric_limits<double>::infinity());
  const FloatLimits limits = limits_of(dtype);
  return ordinary(chunk, limits.smallest_normal, limits.largest, overflow_of(dtype));
}

ASSAY_VECTORISED ChunkErrors measure_chunk(Chunk& chunk, const CompareOptions& options) {
  const double u = options.u, u_out = options.u_out, floor = options.floor;
  Lanes absolute_squares{}, relative_squares{}, rho_squares{}, signed_rho{};
  Lanes absolute_max{}, relative_max{}, rho_max{}, excess_max{};
  const Lanes least = kLeast - Lanes{}, zero{};
  for (std::size_t i = 0; i < chunk.count; i += kSumLanes) {
    Lanes x, y, scale;
    load_lanes(chunk.x.data() + i, x);
    load_lanes(chunk.y.data() + i, y);
    load_lanes(chunk.scale.data() + i, scale);
    const Lanes difference = x - y;
    const Lanes magnitude = y < zero ? -y : y;
    const Lanes error = difference < zero ? -difference : difference;
    const Lanes unit = u * scale;
    const Lanes inverse = 1.0 / (unit > least ? unit : least);
    const Lanes relative = error / (magnitude > least ? magnitude : least);
    const Lanes rho = error * inverse;
    const Lanes left = (error - u_out * magnitude) - floor;
    const Lanes excess = (left > zero ? left : zero) * inverse;
    std::memcpy(chunk.rho.data() + i, &rho, sizeof rho);
    absolute_squares += error * error;
    relative_squares += relative * relative;
    rho_squares += rho * rho;
    signed_rho += difference < zero ? -rho : rho;
    absolute_max = error > absolute_max ? error : absolute_max;
    relative_max = relative > relative_max ? relative : relative_max;
    rho_max = rho > rho_max ? rho : rho_max;
    excess_max = excess > excess_max ? excess : excess_max;
  }
  ChunkErrors sums;
  for (std::size_t l = 0; l < kSumLanes; ++l) {
    sums.absolute_squares += absolute_squares[l];
    sums.relative_squares += relative_squares[l];
    sums.rho_squares += rho_squares[l];
    sums.signed_rho += signed_rho[l];
    sums.absolute_max = absolute_max[l] > sums.absolute_max ? absolute_max[l] : sums.absolute_max;
    sums.relative_max = relative_max[l] > sums.relative_max ? relative_max[l] : sums.relative_max;
    sums.rho_max = rho_max[l] > sums.rho_max ? rho_max[l] : sums.rho_max;
    sums.excess_max = excess_max[l] > sums.excess_max ? excess_max[l] : sums.excess_max;
  }
  return sums;
}

void count_chunk(DType dtype, const Chunk& chunk, Histograms& histograms) {
  ++histograms.chunks;
  if (dtype == DType::f32) return count_f32(chunk, histograms);
  visit_dtype(dtype, [&](auto codec) { count_as<decltype(codec)>(chunk, histograms); });
}

}  // namespace assay
