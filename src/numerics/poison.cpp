#include "numerics/poison.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/error.h"
#include "numerics/float_formats.h"
#include "numerics/vectorised.h"

namespace assay {
namespace {

/// Poison of an element is (random & keep) | set, then for small values an exponent of its own.
template <class Codec>
ASSAY_INLINE typename Codec::Bits nan_bits(typename Codec::Bits random, Codec) {
  using Bits = typename Codec::Bits;
  constexpr int kWidth = 8 * sizeof(Bits);
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (kWidth - 1));
  if constexpr (Codec::kDType == DType::boolean) {
    return static_cast<Bits>(random | 2);
  } else if constexpr (!Codec::kFloating) {
    constexpr Bits kNext = static_cast<Bits>(kSign >> 1);
    return static_cast<Bits>((random & static_cast<Bits>(~kNext)) |
                             (random & kSign ? 0 : kNext));  // large of either sign
  } else if constexpr (Codec::kDType == DType::e4m3) {
    return static_cast<Bits>(random | static_cast<Bits>(~kSign));
  } else {
    constexpr Bits kQuiet = static_cast<Bits>(Bits{1} << (Codec::kMantissaBits - 1));
    constexpr Bits kExponent = static_cast<Bits>(static_cast<Bits>(~kSign) & static_cast<Bits>(~(2 * kQuiet - 1)));
    // The lowest payload bit is always set: arithmetic's own NaN has none, so a right answer is never taken for poison.
    return static_cast<Bits>(random | kExponent | kQuiet | Bits{1});
  }
}

template <class Codec>
ASSAY_INLINE typename Codec::Bits small_bits(typename Codec::Bits random, Codec codec) {
  using Bits = typename Codec::Bits;
  if constexpr (Codec::kDType == DType::boolean) {
    return static_cast<Bits>(random | 2);
  } else if constexpr (!Codec::kFloating) {
    const auto magnitude = static_cast<Bits>(random >> 1) % Bits{101};
    const bool negative = (random & 1) && info(Codec::kDType).number == NumberClass::signed_integer;
    return static_cast<Bits>(negative ? Bits{0} - magnitude : magnitude);
  } else {
    constexpr int kWidth = 8 * sizeof(Bits);
    constexpr Bits kMantissa = static_cast<Bits>((Bits{1} << Codec::kMantissaBits) - 1);
    constexpr Bits kSign = static_cast<Bits>(Bits{1} << (kWidth - 1));
    constexpr Bits kSteps = 3;  // exponents above the lowest one: bits right above the mantissa pick
    const Bits lowest = static_cast<Bits>(codec.encode(0x1p-5) & static_cast<Bits>(~kMantissa));
    const Bits step = static_cast<Bits>((random >> Codec::kMantissaBits) & kSteps);
    return static_cast<Bits>((random & (kSign | kMantissa)) | (lowest + (step << Codec::kMantissaBits)));
  }
}

constexpr std::size_t kChunkBytes = 16 * kGroupWords * sizeof(std::uint32_t);

/// Calls f(piece of the region, the stream's bytes for it) from the start of the region to its end.
template <class Region, class F>
void each_chunk(Region region, const StreamKey& key, F&& f) {
  std::array<std::uint32_t, kChunkBytes / 4> words;
  for (std::size_t at = 0; at < region.size(); at += kChunkBytes) {
    const std::size_t bytes = std::min(kChunkBytes, region.size() - at);
    const std::size_t groups = (bytes - 1) / (kGroupWords * 4) + 1;
    stream_words(key, at / (kGroupWords * 4), std::span(words).first(groups * kGroupWords));
    if (!f(region.subspan(at, bytes), reinterpret_cast<const std::byte*>(words.data()))) return;
  }
}

template <class Codec>
void poison_chunk(std::span<std::byte> piece, const std::byte* random, Poison kind, Codec codec) {
  constexpr std::size_t kSize = sizeof(typename Codec::Bits);
  std::size_t i = 0;
  for (; i + kSize <= piece.size(); i += kSize) {
    const auto bits = load_bits(random + i, codec);
    store_bits(piece.data() + i, kind == Poison::quiet_nan ? nan_bits(bits, codec) : small_bits(bits, codec), codec);
  }
  std::copy(random + i, random + piece.size(), piece.data() + i);
}

void refuse_answers(Poison kind) {
  if (kind == Poison::other_answer) throw Error("poison of another answer is copied from it, not generated");
}

}  // namespace

void fill_poison(std::span<std::byte> region, const PoisonSpec& poison, DType dtype) {
  refuse_answers(poison.kind);
  visit_dtype(dtype, [&](auto codec) {
    each_chunk(region, poison.key, [&](std::span<std::byte> piece, const std::byte* random) {
      poison_chunk(piece, random, poison.kind, codec);
      return true;
    });
  });
}

std::uint64_t poison_bits(const PoisonSpec& poison, DType dtype, std::uint64_t offset) {
  refuse_answers(poison.kind);
  return visit_dtype(dtype, [&](auto codec) -> std::uint64_t {
    using Bits = typename decltype(codec)::Bits;
    const std::uint64_t at = offset * sizeof(Bits);
    std::uint64_t word = stream_word(poison.key, at / 4);
    if constexpr (sizeof(Bits) == 8) word |= std::uint64_t{stream_word(poison.key, at / 4 + 1)} << 32;
    const Bits random = static_cast<Bits>(word >> (at % 4 * 8));
    return poison.kind == Poison::quiet_nan ? nan_bits(random, codec) : small_bits(random, codec);
  });
}

void fill_random_bytes(std::span<std::byte> region, const StreamKey& key) {
  each_chunk(region, key, [](std::span<std::byte> piece, const std::byte* random) {
    std::memcpy(piece.data(), random, piece.size());
    return true;
  });
}

std::optional<std::size_t> first_difference(std::span<const std::byte> region, const StreamKey& key) {
  std::optional<std::size_t> found;
  each_chunk(region, key, [&](std::span<const std::byte> piece, const std::byte* random) {
    if (std::memcmp(piece.data(), random, piece.size()) == 0) return true;
    const auto place = std::mismatch(piece.begin(), piece.end(), random).first;
    found = static_cast<std::size_t>(piece.data() - region.data()) + static_cast<std::size_t>(place - piece.begin());
    return false;
  });
  return found;
}

std::optional<std::size_t> first_difference(const std::byte* a, const std::byte* b, std::size_t bytes) {
  if (bytes == 0 || std::memcmp(a, b, bytes) == 0) return std::nullopt;
  std::size_t i = 0;
  while (a[i] == b[i]) ++i;
  return i;
}

}  // namespace assay
