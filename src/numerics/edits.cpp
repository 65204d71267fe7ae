#include "numerics/edits.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "numerics/float_formats.h"

namespace assay {
namespace {

/// One unit in the last place up or down; magnitudes of one format are consecutive integers.
template <class Codec>
typename Codec::Bits nudged(typename Codec::Bits bits, bool grow, Codec codec) {
  using Bits = typename Codec::Bits;
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const Bits magnitude = bits & static_cast<Bits>(~kSign);
  if (!std::isfinite(codec.decode(bits))) return bits;
  if (magnitude == 0) return static_cast<Bits>((grow ? 0 : kSign) | 1);
  const auto larger = static_cast<Bits>(bits + 1);
  return grow && std::isfinite(codec.decode(larger)) ? larger : static_cast<Bits>(bits - 1);
}

/// The edits of one tensor, one overload per kind.
struct Editor {
  DType dtype;
  std::int64_t elements;
  std::byte* data;
  StreamKey tensor_key;

  template <class F>
  void each(F&& f) const {
    visit_dtype(dtype, [&](auto codec) {
      constexpr std::size_t kSize = sizeof(typename decltype(codec)::Bits);
      for (std::int64_t i = 0; i < elements; ++i) {
        std::byte* place = data + static_cast<std::size_t>(i) * kSize;
        store_bits(place, f(load_bits(place, codec), codec), codec);
      }
    });
  }

  void operator()(const ScaleEdit& edit) const {
    each([&](auto bits, auto codec) {
      return codec.encode(std::ldexp(codec.decode(bits), edit.exponent), Overflow::saturate);
    });
  }

  void operator()(const NegateEdit&) const {
    if (info(dtype).number == NumberClass::unsigned_integer || info(dtype).number == NumberClass::boolean) return;
    each([](auto bits, auto codec) {
      using Bits = decltype(bits);
      constexpr Bits kTop = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
      if constexpr (decltype(codec)::kFloating) return static_cast<Bits>(bits ^ kTop);
      return static_cast<Bits>(bits == kTop ? kTop - 1 : Bits{0} - bits);  // the most negative has no counterpart
    });
  }

  void operator()(const SetElementEdit& edit) const {
    const double place = std::floor(edit.where * static_cast<double>(elements));
    const auto index = std::clamp<std::int64_t>(static_cast<std::int64_t>(place), 0, elements - 1);
    store_element(dtype, data + index * info(dtype).bytes, edit.value);
  }

  void operator()(const ReshuffleEdit& edit) const {
    StreamReader random(derive_key(StreamKey{}, edit.key, "reshuffle"));  // tensors of one size move alike
    const auto size = static_cast<std::size_t>(info(dtype).bytes);
    for (std::int64_t i = elements - 1; i > 0; --i) {
      const std::uint64_t other = random.below(static_cast<std::uint64_t>(i) + 1);
      std::byte* place = data + static_cast<std::size_t>(i) * size;
      if (place != data + other * size) std::swap_ranges(place, place + size, data + other * size);
    }
  }

  void operator()(const NudgeEdit& edit) const {
    if (!is_floating(dtype)) return;
    StreamReader random(derive_key(tensor_key, edit.key, "nudge"));
    std::uint32_t signs = 0;
    std::int64_t used = 0;
    each([&](auto bits, auto codec) {
      if (used++ % 32 == 0) signs = random.next();
      const bool grow = signs & 1;
      signs >>= 1;
      return nudged(bits, grow, codec);
    });
  }
};

}  // namespace

void apply_edits(DType dtype, std::int64_t elements, std::byte* data, const StreamKey& tensor_key,
                 std::span<const ValueEdit> edits) {
  if (elements == 0) return;
  for (const ValueEdit& edit : edits) std::visit(Editor{dtype, elements, data, tensor_key}, edit);
}

}  // namespace assay
