#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace assay {

/// Classes of numbers, counted by the comparator. An element is in exactly one; `finite` excludes the two last.
enum class ValueClass : std::uint8_t { finite, positive_inf, negative_inf, nan, negative_zero, denormal };
inline constexpr std::size_t kValueClasses = 6;

/// How many elements have a fault, and the first of them in row-major order (-1: none).
struct Faults {
  std::int64_t count = 0;
  std::int64_t first = -1;
  double expected = 0.0;  ///< of the first, as doubles; 64-bit integers beyond 2^53 are rounded here
  double actual = 0.0;
};

/// One kind of error over all measured elements.
struct ErrorMeasure {
  double max = 0.0;
  double rms = 0.0;
  std::int64_t at = -1;  ///< row-major index of the maximum; -1: no error
};

/// Octaves of ρ in a sweep of tolerances: number k holds 2^(k - kSweepZero) <= ρ < 2^(k + 1 - kSweepZero).
inline constexpr std::size_t kSweepOctaves = 64;
inline constexpr int kSweepZero = 32;

/// Scaled error within one block: 64 x 64 of the last two axes, else 4096 elements in a row.
struct BlockError {
  std::int64_t first = 0;  ///< row-major index of its first element
  double rms = 0.0;
  double max = 0.0;
};

/// All that one pass over an output tells (NUMERICS.md, "Comparator"). ρ = |error| / (u * scale).
struct ErrorProfile {
  std::int64_t elements = 0;  ///< looked at
  std::int64_t measured = 0;  ///< of these with a finite value and a finite truth; equal ones where the truth is exact
  std::array<std::int64_t, kValueClasses> actual_classes{};
  std::array<std::int64_t, kValueClasses> expected_classes{};  ///< of the truth rounded to the element type
  Faults class_mismatches;
  Faults unwritten;   ///< still poison
  Faults mismatches;  ///< exact truth: elements that differ
  Faults outside;     ///< of the band atol + rtol |y|, classes that differ included
  ErrorMeasure absolute, relative, scaled;
  ErrorMeasure
      excess;  ///< ρ of what is left of |error| after u_out |y| and the floor are taken off; its rms is not kept
  double rho_p50 = 0.0, rho_p99 = 0.0, rho_p999 = 0.0;  ///< upper ends of bins 1/32 octave wide; 0 below 2^-32
  double mean_signed_rho = 0.0;
  double median_block_rms = 0.0;
  std::int64_t blocks = 0;
  std::vector<BlockError> worst_blocks;          ///< at most 8, by RMS
  std::array<std::int64_t, 65> ulp_histogram{};  ///< [0]: equal; [k]: distance in [2^(k-1), 2^k)
  std::array<std::int64_t, 54>
      trailing_zeros{};  ///< [t]: significands with exactly t trailing zero bits, zeros left out
  std::array<std::int64_t, kSweepOctaves>
      rho_octaves{};        ///< elements by the octave of their ρ; 0 and tiny ones nowhere
  double smallest_k = 0.0;  ///< least whole k with |error| <= 2^k u scale everywhere; -inf: no error
};

}  // namespace assay
