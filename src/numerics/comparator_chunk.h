#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/dtype.h"
#include "numerics/comparator.h"

/// The inner loops of the comparator, over at most kChunk elements that fit the first cache.
namespace assay {

inline constexpr std::size_t kChunk = 1024;
inline constexpr std::size_t kSumLanes = 8;

struct Chunk {
  std::size_t count =
      0;  ///< elements that are used; the rest up to a multiple of kSumLanes is padded with equal values
  alignas(64) std::array<double, kChunk> x;  ///< actual values
  alignas(64) std::array<double, kChunk> y;  ///< truth
  alignas(64) std::array<double, kChunk> scale;
  alignas(64) std::array<double, kChunk> rho;             ///< filled by measure_chunk
  alignas(64) std::array<std::uint64_t, kChunk> bits;     ///< of the actual elements
  alignas(64) std::array<std::uint64_t, kChunk> rounded;  ///< of the truth, rounded to the element type
};

/// Errors of one element; the definition that measure_chunk vectorises.
struct ElementError {
  double absolute, relative, rho, excess;
};
ElementError element_error(double x, double y, double scale, const CompareOptions& options);

struct ChunkErrors {
  double absolute_squares = 0.0, relative_squares = 0.0, rho_squares = 0.0, signed_rho = 0.0;
  double absolute_max = 0.0, relative_max = 0.0, rho_max = 0.0, excess_max = 0.0;
};

/// Decodes `count` elements of type `dtype` at `actual` and copies their truth.
void load_chunk(DType dtype, const std::byte* actual, const double* truth, const double* scale, std::size_t count,
                Chunk& chunk);

/// Whether every value and every truth is +0 or normal, and no truth overflows: nothing for the class rules to do.
bool all_ordinary(DType dtype, const Chunk& chunk);

/// Sums and maxima of a chunk; needs finite x and y. Sums run in kSumLanes lanes in a fixed order.
ChunkErrors measure_chunk(Chunk& chunk, const CompareOptions& options);

inline constexpr int kRhoOctaves = 64;  ///< 2^-32 … 2^32
inline constexpr int kRhoPerOctave = 32;
inline constexpr std::size_t kRhoBins = static_cast<std::size_t>(kRhoOctaves * kRhoPerOctave) + 2;

struct Histograms {
  std::array<std::array<std::uint32_t, kRhoBins>, 2> rho{};  ///< two copies: neighbours don't wait for each other
  std::array<std::array<std::uint32_t, 65>, 4> ulp{};
  std::array<std::array<std::uint32_t, 65>, 4> zeros{};
  std::uint32_t chunks = 0;
};

/// Counts a chunk; ULP distances and trailing zeros by the bits of `dtype`.
void count_chunk(DType dtype, const Chunk& chunk, Histograms& histograms);

}  // namespace assay
