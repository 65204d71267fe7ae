#pragma once
#include <cstddef>
#include <cstdint>

#include "numerics/philox.h"

/// Words of a stream turned into real numbers, group by group: a group gives 64 floats or 32 doubles (two words each).
namespace assay {

template <class Real>
inline constexpr std::size_t kPerGroup = kGroupWords * sizeof(std::uint32_t) / sizeof(Real);

/// low + width * u with u uniform in [0, 1) in steps of 2^-24 (float) or 2^-53 (double), never above `high`.
void uniform_deviates(const std::uint32_t* words, std::size_t groups, float low, float high, float* out);
void uniform_deviates(const std::uint32_t* words, std::size_t groups, double low, double high, double* out);

/// mean + std * z with z standard normal (Box and Muller 1958): pairs r cos a, r sin a with r = sqrt(-2 ln u). |z| is
/// at most 6.7 (float) or 8.8 (double).
void normal_deviates(const std::uint32_t* words, std::size_t groups, float mean, float std, float* out);
void normal_deviates(const std::uint32_t* words, std::size_t groups, double mean, double std, double* out);

/// Reals rounded to a 16-bit type; finite values too large become the largest.
void encode_f16(const float* from, std::size_t count, std::byte* to);
void encode_bf16(const float* from, std::size_t count, std::byte* to);

}  // namespace assay
