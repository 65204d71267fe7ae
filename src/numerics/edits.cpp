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

double rounded_to_bits(double value, const RoundEdit& edit) {
  if (value == 0.0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(value, &exponent), edit.bits);
  const double whole = edit.toward_zero ? std::trunc(scaled) : std::nearbyint(scaled);
  return std::ldexp(whole, exponent - edit.bits);
}

/// The edits of one tensor, one overload per kind: element by element here, the others in rearrange.cpp.
struct Editor : Rearranger {
  StreamKey tensor_key;

  using Rearranger::operator();

  template <class F>
  void each(F&& f) const {
    visit_dtype(tensor.dtype, [&](auto codec) {
      constexpr std::size_t kSize = sizeof(typename decltype(codec)::Bits);
      for (std::int64_t i = 0; i < tensor.elements; ++i) {
        std::byte* place = tensor.data + static_cast<std::size_t>(i) * kSize;
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
    const NumberClass number = info(tensor.dtype).number;
    if (number == NumberClass::unsigned_integer || number == NumberClass::boolean) return;
    each([](auto bits, auto codec) {
      using Bits = decltype(bits);
      constexpr Bits kTop = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
      if constexpr (decltype(codec)::kFloating) return static_cast<Bits>(bits ^ kTop);
      return static_cast<Bits>(bits == kTop ? kTop - 1 : Bits{0} - bits);  // the most negative has no counterpart
    });
  }

  void operator()(const SetElementEdit& edit) const {
    const double place = std::floor(edit.where * static_cast<double>(tensor.elements));
    const auto index = std::clamp<std::int64_t>(static_cast<std::int64_t>(place), 0, tensor.elements - 1);
    store_element(tensor.dtype, tensor.at(index), edit.value);
  }

  void operator()(const ReshuffleEdit& edit) const {
    StreamReader random(derive_key(StreamKey{}, edit.key, "reshuffle"));  // tensors of one size move alike
    for (std::int64_t i = tensor.elements - 1; i > 0; --i) {
      std::byte* place = tensor.at(i);
      std::byte* other = tensor.at(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(i) + 1)));
      if (place != other) std::swap_ranges(place, place + tensor.size(), other);
    }
  }

  void operator()(const SignEdit& edit) const {
    each([&](auto bits, auto codec) {
      return codec.encode(edit.negative ? -std::fabs(codec.decode(bits)) : std::fabs(codec.decode(bits)));
    });
  }

  void operator()(const ClampEdit& edit) const {
    each([&](auto bits, auto codec) {
      const double value = codec.decode(bits);
      if (std::isnan(value) || (value >= edit.low && value <= edit.high)) return bits;
      return codec.encode(value < edit.low ? edit.low : edit.high, Overflow::saturate);
    });
  }

  /// Through a double, whose own roundings lie far below any float's.
  void operator()(const RoundEdit& edit) const {
    if (!is_floating(tensor.dtype)) return;
    each([&](auto bits, auto codec) { return codec.encode(rounded_to_bits(codec.decode(bits), edit)); });
  }

  void operator()(const NudgeEdit& edit) const {
    if (!is_floating(tensor.dtype)) return;
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

void apply_edits(const EditedTensor& tensor, const StreamKey& tensor_key, std::span<const ValueEdit> edits) {
  if (tensor.elements == 0) return;
  for (const ValueEdit& edit : edits) std::visit(Editor{{tensor}, tensor_key}, edit);
}

}  // namespace assay
