#include "numerics/comparator_chunk.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "numerics/float_formats.h"
#include "numerics/vectorised.h"

namespace assay {
namespace {

using Lanes = double __attribute__((vector_size(8 * kSumLanes)));

/// Divisors are kept at least this large: no 0/0, no infinity from 1/0. Narrow types need one division for both
/// quotients, 1 / (u scale |y|), whose product must not underflow; errors over nothing still come out above 2^300.
template <bool kNarrow>
inline constexpr double kLeast = kNarrow ? 0x1p-500 : std::numeric_limits<double>::min();

ASSAY_INLINE void make_positive(const Lanes& from, Lanes& to) {
  using Words = std::int64_t __attribute__((vector_size(8 * kSumLanes)));
  to = reinterpret_cast<Lanes>(reinterpret_cast<Words>(from) & std::int64_t{0x7fffffffffffffff});
}

ASSAY_INLINE void load_lanes(const double* from, Lanes& lanes) {
  std::memcpy(&lanes, from, sizeof lanes);
}

template <class Codec>
ASSAY_INLINE typename Codec::Bits rounded_bits(double y, Codec codec) {
  if constexpr (Codec::kDType == DType::f32) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(y));  // IEEE: too large becomes infinite, as in Codec
  } else {
    return codec.encode(y);
  }
}

/// +0, or a magnitude from the smallest normal to the largest finite one.
template <class Codec>
ASSAY_INLINE bool plain(typename Codec::Bits bits, Codec) {
  using Bits = typename Codec::Bits;
  if constexpr (!Codec::kFloating) return true;
  constexpr Bits kMagnitude = static_cast<Bits>(~(Bits{1} << (8 * sizeof(Bits) - 1)));
  constexpr Bits kLow = static_cast<Bits>(Bits{1} << Codec::kMantissaBits);
  constexpr Bits kTop = static_cast<Bits>(kMagnitude & static_cast<Bits>(~(kLow - 1)));
  constexpr Bits kHigh = Codec::kDType == DType::e4m3 ? static_cast<Bits>(kMagnitude - 1) : static_cast<Bits>(kTop - 1);
  const Bits magnitude = bits & kMagnitude;
  return (bits == 0) | ((magnitude >= kLow) & (magnitude <= kHigh));
}

/// Where decoded values and bits go: 32-bit lanes but for 64-bit types.
template <class Codec>
ASSAY_INLINE bool load_as(const std::byte* __restrict actual, const double* __restrict truth, std::size_t count,
                          Chunk& chunk, Codec codec) {
  using Bits = typename Codec::Bits;
  constexpr bool kWide = sizeof(Bits) == 8;
  using Lane = std::conditional_t<kWide, std::uint64_t, std::uint32_t>;
  Lane *to_bits, *to_rounded;
  if constexpr (kWide) {
    to_bits = chunk.wide_bits.data();
    to_rounded = chunk.wide_rounded.data();
  } else {
    to_bits = chunk.bits.data();
    to_rounded = chunk.rounded.data();
  }
  Lane odd = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, actual + i * sizeof bits, sizeof bits);
    to_bits[i] = bits;
    chunk.x[i] = codec.decode(bits);
    odd |= static_cast<Lane>(!plain(bits, codec));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Bits bits = rounded_bits(truth[i], codec);
    to_rounded[i] = bits;
    odd |= static_cast<Lane>(!plain(bits, codec));
  }
  for (std::size_t i = 0; !Codec::kFloating && i < count; ++i) odd |= static_cast<Lane>(!(truth[i] - truth[i] == 0));
  return odd == 0;
}

ASSAY_VECTORISED bool load_f64(const std::byte* actual, const double* truth, std::size_t count, Chunk& chunk) {
  return load_as(actual, truth, count, chunk, Codec<DType::f64>{});
}

ASSAY_VECTORISED bool load_f32(const std::byte* actual, const double* truth, std::size_t count, Chunk& chunk) {
  return load_as(actual, truth, count, chunk, Codec<DType::f32>{});
}

ASSAY_VECTORISED bool load_f16(const std::byte* actual, const double* truth, std::size_t count, Chunk& chunk) {
  return load_as(actual, truth, count, chunk, Codec<DType::f16>{});
}

ASSAY_VECTORISED bool load_bf16(const std::byte* actual, const double* truth, std::size_t count, Chunk& chunk) {
  return load_as(actual, truth, count, chunk, Codec<DType::bf16>{});
}

bool load_values(DType dtype, const std::byte* actual, const double* truth, std::size_t count, Chunk& chunk) {
  switch (dtype) {
    case DType::f64:
      return load_f64(actual, truth, count, chunk);
    case DType::f32:
      return load_f32(actual, truth, count, chunk);
    case DType::f16:
      return load_f16(actual, truth, count, chunk);
    case DType::bf16:
      return load_bf16(actual, truth, count, chunk);
    default:
      return visit_dtype(dtype, [&](auto codec) { return load_as(actual, truth, count, chunk, codec); });
  }
}

/// Distance in units in the last place: bits as integers in the order of the numbers they stand for, where +0 and -0
/// are both 0. `Lane` holds the difference of any two.
template <class Codec, class Lane>
ASSAY_INLINE Lane distance(Lane a, Lane b) {
  using Bits = typename Codec::Bits;
  using Signed = std::make_signed_t<Lane>;
  constexpr Lane kSign = Lane{1} << (8 * sizeof(Bits) - 1);
  Signed x = 0, y = 0;
  if constexpr (Codec::kFloating) {
    x = static_cast<Signed>(a & (kSign - 1));
    y = static_cast<Signed>(b & (kSign - 1));
    x = a & kSign ? -x : x;
    y = b & kSign ? -y : y;
  } else if constexpr (info(Codec::kDType).number == NumberClass::signed_integer) {
    x = static_cast<std::make_signed_t<Bits>>(a);
    y = static_cast<std::make_signed_t<Bits>>(b);
  } else {
    return a > b ? a - b : b - a;
  }
  return x > y ? static_cast<Lane>(x) - static_cast<Lane>(y) : static_cast<Lane>(y) - static_cast<Lane>(x);
}

/// Number of bits of d, by its exponent as a float: clearing the bit below the leading one keeps it from being rounded
/// up.
ASSAY_INLINE std::uint32_t bit_width(std::uint32_t d) {
  const std::uint32_t lead = d & ~(d >> 1);
  const std::uint32_t low =
      std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(lead & 0x7fffffffu)));
  const std::uint32_t width = d == 0 ? 0 : (low >> 23) - 126;
  return d >> 31 ? 32 : width;
}

ASSAY_INLINE std::uint32_t trailing_zeros(std::uint32_t v) {  // 0 < v < 2^31
  const std::uint32_t lowest = v & (0u - v);
  return (std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(lowest))) >> 23) - 127;
}

ASSAY_INLINE std::uint32_t bit_width(std::uint64_t d) {
  return static_cast<std::uint32_t>(std::bit_width(d));
}
ASSAY_INLINE std::uint32_t trailing_zeros(std::uint64_t v) {
  return static_cast<std::uint32_t>(std::countr_zero(v));
}

ASSAY_INLINE std::uint32_t rho_bin(double rho) {
  constexpr std::int64_t kFirst = (std::int64_t{1023 - kRhoOctaves / 2} * kRhoPerOctave);
  constexpr std::int64_t kLast = static_cast<std::int64_t>(kRhoBins) - 1;
  const std::int64_t bin = (std::bit_cast<std::int64_t>(rho) >> 47) - kFirst + 1;
  const std::int64_t positive = bin < 0 ? 0 : bin;
  return static_cast<std::uint32_t>(positive > kLast ? kLast : positive);
}

struct Bins {
  alignas(64) std::array<std::uint32_t, kChunk> distance, rho;
};

template <class Codec, class Lane>
ASSAY_INLINE void fill_bins(const Chunk& chunk, const Lane* __restrict bits, const Lane* __restrict rounded,
                            Bins& __restrict bins) {
  constexpr Lane kHidden = Codec::kFloating ? Lane{1} << Codec::kMantissaBits : Lane{1};
  for (std::size_t i = 0; i < chunk.count; ++i) {
    const std::uint32_t width = bit_width(distance<Codec, Lane>(bits[i], rounded[i]));
    const std::uint32_t zeros = trailing_zeros(static_cast<Lane>((bits[i] & (kHidden - 1)) | kHidden));
    const bool counts =
        Codec::kFloating && static_cast<Lane>(bits[i] << (8 * (sizeof(Lane) - sizeof(typename Codec::Bits)) + 1)) != 0;
    bins.distance[i] = 64 * width + (counts ? zeros : static_cast<std::uint32_t>(kNoZeros));
  }
  for (std::size_t i = 0; i < chunk.count; ++i) bins.rho[i] = rho_bin(chunk.rho[i]);
}

template <class Codec>
ASSAY_INLINE void bins_as(const Chunk& chunk, Bins& bins) {
  if constexpr (sizeof(typename Codec::Bits) == 8) {
    fill_bins<Codec>(chunk, chunk.wide_bits.data(), chunk.wide_rounded.data(), bins);
  } else {
    fill_bins<Codec>(chunk, chunk.bits.data(), chunk.rounded.data(), bins);
  }
}

ASSAY_VECTORISED void bins_f32(const Chunk& chunk, Bins& bins) {
  bins_as<Codec<DType::f32>>(chunk, bins);
}

template <bool kNarrow>
ASSAY_INLINE ChunkErrors measure_as(Chunk& chunk, const CompareOptions& options) {
  const double u = options.u, u_out = options.u_out, floor = options.floor;
  Lanes absolute_squares{}, relative_squares{}, rho_squares{}, signed_rho{};
  Lanes absolute_max{}, relative_max{}, rho_max{}, excess_max{};
  const Lanes zero{}, least = kLeast<kNarrow> - zero;
  for (std::size_t i = 0; i < chunk.count; i += kSumLanes) {
    Lanes x, y, scale;
    load_lanes(chunk.x.data() + i, x);
    load_lanes(chunk.y + i, y);
    load_lanes(chunk.scale + i, scale);
    const Lanes difference = x - y;
    Lanes magnitude, error;
    make_positive(y, magnitude);
    make_positive(difference, error);
    const Lanes unit = u * scale > least ? u * scale : least;
    const Lanes base = magnitude > least ? magnitude : least;
    Lanes per_unit, relative;
    if constexpr (kNarrow) {
      const Lanes both = 1.0 / (unit * base);
      per_unit = base * both;
      relative = error * (unit * both);
    } else {
      per_unit = 1.0 / unit;
      relative = error / base;
    }
    const Lanes rho = error * per_unit;
    const Lanes left = (error - u_out * magnitude) - floor;
    const Lanes excess = (left > zero ? left : zero) * per_unit;
    std::memcpy(chunk.rho.data() + i, &rho, sizeof rho);
    absolute_squares += error * error;
    relative_squares += relative * relative;
    rho_squares += rho * rho;
    signed_rho += difference * per_unit;
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

ASSAY_VECTORISED ChunkErrors measure_narrow(Chunk& chunk, const CompareOptions& options) {
  return measure_as<true>(chunk, options);
}

ASSAY_VECTORISED ChunkErrors measure_wide(Chunk& chunk, const CompareOptions& options) {
  return measure_as<false>(chunk, options);
}

template <bool kNarrow>
ElementError error_as(double x, double y, double scale, const CompareOptions& options) {
  const double magnitude = y < 0 ? -y : y, error = x - y < 0 ? -(x - y) : x - y;
  const double unit = options.u * scale > kLeast<kNarrow> ? options.u * scale : kLeast<kNarrow>;
  const double base = magnitude > kLeast<kNarrow> ? magnitude : kLeast<kNarrow>;
  const double both = 1.0 / (unit * base);
  const double per_unit = kNarrow ? base * both : 1.0 / unit;
  const double relative = kNarrow ? error * (unit * both) : error / base;
  const double left = (error - options.u_out * magnitude) - options.floor;
  return {error, relative, error * per_unit, (left > 0 ? left : 0.0) * per_unit};
}

}  // namespace

void Chunk::own() {
  if (y == own_y.data()) return;
  std::memcpy(own_y.data(), y, count * sizeof(double));
  std::memcpy(own_scale.data(), scale, count * sizeof(double));
  y = own_y.data();
  scale = own_scale.data();
}

void Chunk::settle(std::size_t i) {
  x[i] = own_y[i] = 0.0;
  bits[i] = rounded[i] = 0;
  wide_bits[i] = wide_rounded[i] = 0;
}

ElementError element_error(DType dtype, double x, double y, double scale, const CompareOptions& options) {
  return dtype == DType::f64 ? error_as<false>(x, y, scale, options) : error_as<true>(x, y, scale, options);
}

bool load_chunk(DType dtype, const std::byte* actual, const double* truth, const double* scale, std::size_t count,
                Chunk& chunk) {
  chunk.count = count;
  chunk.y = truth;
  chunk.scale = scale;
  chunk.wide = info(dtype).bytes == 8;
  const bool ordinary = load_values(dtype, actual, truth, count, chunk);
  if (count % kSumLanes == 0) return ordinary;
  chunk.own();
  for (std::size_t i = count; i % kSumLanes != 0; ++i) {
    chunk.settle(i);
    chunk.own_scale[i] = 1.0;
  }
  return ordinary;
}

ChunkErrors measure_chunk(DType dtype, Chunk& chunk, const CompareOptions& options) {
  return dtype == DType::f64 ? measure_wide(chunk, options) : measure_narrow(chunk, options);
}

void count_chunk(DType dtype, const Chunk& chunk, Histograms& histograms) {
  Bins bins;
  ++histograms.chunks;
  if (dtype == DType::f32) {
    bins_f32(chunk, bins);
  } else {
    visit_dtype(dtype, [&](auto codec) { bins_as<decltype(codec)>(chunk, bins); });
  }
  std::size_t i = 0;
  for (; i + kCopies <= chunk.count; i += kCopies) {
    for (std::size_t copy = 0; copy < kCopies; ++copy) {
      ++histograms.distances[copy][bins.distance[i + copy]];
      ++histograms.rho[copy][bins.rho[i + copy]];
    }
  }
  for (; i < chunk.count; ++i) {
    ++histograms.distances[0][bins.distance[i]];
    ++histograms.rho[0][bins.rho[i]];
  }
}

}  // namespace assay
