#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/seed.h"
#include "numerics/philox_rounds.h"

/// Theory of operation. All tensor contents, poison and red zones come from Philox4x32-10 (Salmon, Moraes, Dror and
/// Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011): 128 random bits are a keyed function of a 128-bit
/// counter, so any element can be computed on its own, in any order, on host or device. Philox is not one-way, so each
/// use has a key of its own, cut from a SHA-256 over the secret seed. A stream is laid out for vectors: words come in
/// groups of 64, and word w is component (w mod 64) / 16 of block 16 * (w / 64) + w mod 16.
namespace assay {

using PhiloxBlock = std::array<std::uint32_t, 4>;

/// Names one random stream: the Philox key, and the upper half of the counter.
struct StreamKey {
  std::array<std::uint32_t, 2> key{};
  std::array<std::uint32_t, 2> stream{};
  bool operator==(const StreamKey&) const = default;
};

/// Ten rounds of Philox4x32.
constexpr PhiloxBlock philox(const PhiloxBlock& counter, std::array<std::uint32_t, 2> key) {
  unsigned c[4] = {counter[0], counter[1], counter[2], counter[3]};
  philox_rounds(c, key[0], key[1]);
  return {c[0], c[1], c[2], c[3]};
}

inline constexpr std::size_t kLanes = 16;  ///< blocks that are computed together
inline constexpr std::size_t kGroupWords = 4 * kLanes;

/// Word `index` of the stream.
constexpr std::uint32_t stream_word(const StreamKey& key, std::uint64_t index) {
  const std::uint64_t block = index / kGroupWords * kLanes + index % kLanes;
  const PhiloxBlock counter{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), key.stream[0],
                            key.stream[1]};
  return philox(counter, key.key)[index % kGroupWords / kLanes];
}

/// Byte `index` of the stream, whose words are little-endian.
constexpr std::uint8_t stream_byte(const StreamKey& key, std::uint64_t index) {
  return static_cast<std::uint8_t>(stream_word(key, index / 4) >> (index % 4 * 8));
}

/// Words of the stream from the start of group `first_group`; the size of `out` is a multiple of kGroupWords.
void stream_words(const StreamKey& key, std::uint64_t first_group, std::span<std::uint32_t> out);

/// The key of (seed, draw, label): SHA-256 of the seed's 32 bytes, the draw in 8 little-endian bytes, and the label.
StreamKey derive_key(const Seed& seed, std::uint64_t draw, std::string_view label);

/// A key below another one, for edits and for parts of a tensor.
StreamKey derive_key(const StreamKey& parent, std::uint64_t number, std::string_view label);

/// The Philox key as one number, for uses that need a seed rather than a stream.
constexpr std::uint64_t number_of(const StreamKey& key) {
  return static_cast<std::uint64_t>(key.key[0]) << 32 | key.key[1];
}

/// Reads a stream word by word, for the kinds of values that need an unknown number of them.
class StreamReader {
 public:
  explicit StreamReader(const StreamKey& key) : key_(key) {}
  std::uint32_t next();
  std::uint64_t next64();
  std::uint64_t below(std::uint64_t bound);  ///< uniform in [0, bound), bound > 0
  double unit();                             ///< uniform in (0, 1), 53 bits, never 0 or 1

 private:
  StreamKey key_;
  std::uint64_t group_ = 0;
  std::size_t used_ = kGroupWords;
  std::array<std::uint32_t, kGroupWords> words_{};
};

}  // namespace assay
