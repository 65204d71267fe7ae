#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/dtype.h"
#include "numerics/comparator.h"

/// The inner loops of the comparator, over at most kChunk elements that fit the first cache.
namespace assay {

inline constexpr std::size_t kChunk = 512;
inline constexpr std::size_t kSumLanes = 8;

/// Elements of up to 32 bits keep their bits in `bits` and `rounded`, wider ones in `wide_bits` and `wide_rounded`.
struct Chunk {
  std::size_t count = 0;      ///< elements in use; the loops run on to a multiple of kSumLanes over equal values
  const double* y = nullptr;  ///< truth: the caller's, or own_y once something had to change
  const double* scale = nullptr;
  bool wide = false;
  alignas(64) std::array<double, kChunk> x;    ///< actual values
  alignas(64) std::array<double, kChunk> rho;  ///< filled by measure_chunk
  alignas(64) std::array<std::uint32_t, kChunk> bits,
      rounded;  ///< of the actual element; of the truth rounded to its type
  alignas(64) std::array<std::uint64_t, kChunk> wide_bits, wide_rounded;
  alignas(64) std::array<double, kChunk> own_y, own_scale;

  std::uint64_t bits_at(std::size_t i) const { return wide ? wide_bits[i] : bits[i]; }
  std::uint64_t rounded_at(std::size_t i) const { return wide ? wide_rounded[i] : rounded[i]; }
  /// Copies truth and scale, so that elements can be settled.
  void own();
  /// Makes an element equal to its truth, 0: it takes no part in any error any more.
  void settle(std::size_t i);
};

/// Errors of one element; the definition that measure_chunk vectorises.
struct ElementError {
  double absolute, relative, rho, excess;
};
ElementError element_error(DType dtype, double x, double y, double scale, const CompareOptions& options);

struct ChunkErrors {
  double absolute_squares = 0.0, relative_squares = 0.0, rho_squares = 0.0, signed_rho = 0.0;
  double absolute_max = 0.0, relative_max = 0.0, rho_max = 0.0, excess_max = 0.0;
};

/// Decodes `count` elements of type `dtype` at `actual`. True: every element and every rounded truth is +0 or a normal
/// number, so there is nothing for the class rules to do.
bool load_chunk(DType dtype, const std::byte* actual, const double* truth, const double* scale, std::size_t count,
                Chunk& chunk);

/// Sums and maxima of a chunk; needs finite x and y. Sums run in kSumLanes lanes in a fixed order.
ChunkErrors measure_chunk(DType dtype, Chunk& chunk, const CompareOptions& options);

inline constexpr int kRhoOctaves = 64;  ///< 2^-32 … 2^32
inline constexpr int kRhoPerOctave = 32;
inline constexpr std::size_t kRhoBins = static_cast<std::size_t>(kRhoOctaves * kRhoPerOctave) + 2;

/// Counts of one run over many chunks, in copies, so that neighbours in one bin don't wait for each other.
inline constexpr std::size_t kCopies = 4;
struct Histograms {
  std::array<std::array<std::uint32_t, kRhoBins>, kCopies> rho{};
  std::array<std::array<std::uint32_t, 65 * 64>, kCopies>
      distances{};  ///< [64 * bits of the ULP distance + trailing zeros]
  std::uint32_t chunks = 0;
};
inline constexpr std::size_t kNoZeros = 63;  ///< in the place of trailing zeros: the element is zero, or no float

/// Counts a chunk; ULP distances and trailing zeros by the bits of `dtype`.
void count_chunk(DType dtype, const Chunk& chunk, Histograms& histograms);

}  // namespace assay
