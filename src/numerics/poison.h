#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "core/call.h"
#include "core/dtype.h"
#include "numerics/philox.h"

/// Theory of operation. What lies in memory before a call is a function of (key, place), so that it can be recognised
/// afterwards without having been stored: red zones are the bare stream, and poison is the stream bent into patterns of
/// the element type. Poison differs from place to place, so a kernel can't leave it behind by writing one value.
namespace assay {

/// How a region was poisoned. `other_answer` is not made here: the judge copies an older answer, which can't be told
/// from a written element, and nothing counts as unwritten then.
struct PoisonSpec {
  Poison kind = Poison::quiet_nan;
  StreamKey key;
};

/// Fills a region whose elements are of type `dtype`; a last partial element gets random bytes. quiet_nan: floats are
/// quiet NaN of random sign and payload, integers large. small_finite: floats of magnitude 2^-6 … 2^-1 (narrower where
/// the format is), integers of at most 100. Booleans are always neither 0 nor 1. other_answer is refused.
void fill_poison(std::span<std::byte> region, const PoisonSpec& poison, DType dtype);

/// The bits that `fill_poison` put into the element at `offset` (in elements, from the start of the region).
std::uint64_t poison_bits(const PoisonSpec& poison, DType dtype, std::uint64_t offset);

/// Fills a region with the bare stream; and finds the first byte that isn't the stream's any more.
void fill_random_bytes(std::span<std::byte> region, const StreamKey& key);
std::optional<std::size_t> first_difference(std::span<const std::byte> region, const StreamKey& key);

/// First byte that differs, as an offset into the range compared.
std::optional<std::size_t> first_difference(const std::byte* a, const std::byte* b, std::size_t bytes);

}  // namespace assay
