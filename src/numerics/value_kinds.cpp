#include "numerics/value_kinds.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "numerics/deviates.h"
#include "numerics/elementary.h"

namespace assay {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr std::size_t kChunkGroups = 64;

/// Stores `count` reals from `from` as elements first, first + 1, …
template <class Real>
void store_reals(const Draw& draw, std::int64_t first, const Real* from, std::int64_t count) {
  std::byte* to = draw.data + first * info(draw.dtype).bytes;
  if constexpr (std::is_same_v<Real, float>) {
    if (draw.dtype == DType::f16) return encode_f16(from, static_cast<std::size_t>(count), to);
    if (draw.dtype == DType::bf16) return encode_bf16(from, static_cast<std::size_t>(count), to);
  }
  visit_dtype(draw.dtype, [&](auto codec) {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(typename decltype(codec)::Bits));
    for (std::int64_t i = 0; i < count; ++i) {
      store_bits(to + i * kSize, codec.encode(static_cast<double>(from[i]), Overflow::saturate), codec);
    }
  });
}

template <class Real, class Deviates>
void draw_reals_as(const Draw& draw, Deviates&& deviates) {
  std::array<std::uint32_t, kChunkGroups * kGroupWords> words;
  std::array<Real, kChunkGroups * kPerGroup<Real>> reals;
  constexpr auto kChunk = static_cast<std::int64_t>(reals.size());
  constexpr DType kNative = std::is_same_v<Real, float> ? DType::f32 : DType::f64;
  const bool aligned = reinterpret_cast<std::uintptr_t>(draw.data) % sizeof(Real) == 0;
  for (std::int64_t first = 0; first < draw.elements; first += kChunk) {
    const std::int64_t count = std::min(kChunk, draw.elements - first);
    const std::size_t groups = static_cast<std::size_t>((count - 1) / static_cast<std::int64_t>(kPerGroup<Real>) + 1);
    stream_words(draw.key, static_cast<std::uint64_t>(first) / kPerGroup<Real>,
                 std::span(words).first(groups * kGroupWords));
    if (draw.dtype == kNative && count == kChunk && aligned) {  // straight into place
      deviates(words.data(), groups, reinterpret_cast<Real*>(draw.data) + first);
      continue;
    }
    deviates(words.data(), groups, reals.data());
    store_reals(draw, first, reals.data(), count);
  }
}

/// Real deviates in float, or in double where the tensor can tell the difference.
template <class Deviates>
void draw_reals(const Draw& draw, Deviates&& deviates) {
  const bool wide = draw.dtype == DType::f64 || (!is_floating(draw.dtype) && info(draw.dtype).bytes > 2);
  if (wide) return draw_reals_as<double>(draw, deviates);
  draw_reals_as<float>(draw, deviates);
}

void draw_normal(const Draw& draw) {
  draw_reals(draw, [&]<class Real>(const std::uint32_t* words, std::size_t groups, Real* out) {
    normal_deviates(words, groups, static_cast<Real>(draw.values.spec.mean), static_cast<Real>(draw.values.spec.std),
                    out);
  });
}

void draw_uniform(const Draw& draw) {
  draw_reals(draw, [&]<class Real>(const std::uint32_t* words, std::size_t groups, Real* out) {
    uniform_deviates(words, groups, static_cast<Real>(draw.values.spec.low), static_cast<Real>(draw.values.spec.high),
                     out);
  });
}

void draw_positive(const Draw& draw) {
  draw_reals(draw, [&]<class Real>(const std::uint32_t* words, std::size_t groups, Real* out) {
    const Real std = static_cast<Real>(draw.values.spec.std);
    normal_deviates(words, groups, Real(0), std, out);
    const Real least = std * Real(0x1p-20);  // never zero
    for (std::size_t i = 0; i < groups * kPerGroup<Real>; ++i) out[i] = std::max(out[i] < 0 ? -out[i] : out[i], least);
  });
}

/// Calls f(64 random bits) for each element and stores the number that it returns.
template <class F>
void draw_each(const Draw& draw, F&& f) {
  std::array<std::uint32_t, kChunkGroups * kGroupWords> words;
  constexpr std::int64_t kGroup = static_cast<std::int64_t>(kPerGroup<double>);
  constexpr std::int64_t kChunk = static_cast<std::int64_t>(kChunkGroups) * kGroup;
  for (std::int64_t first = 0; first < draw.elements; first += kChunk) {
    const std::int64_t count = std::min(kChunk, draw.elements - first);
    const std::size_t groups = static_cast<std::size_t>((count - 1) / kGroup + 1);
    stream_words(draw.key, static_cast<std::uint64_t>(first / kGroup), std::span(words).first(groups * kGroupWords));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::size_t at = static_cast<std::size_t>(i / kGroup * 64 + i % kGroup / 16 * 32 + i % 16);
      draw.put(first + i, f(words[at] | std::uint64_t{words[at + kLanes]} << 32));
    }
  }
}

double unit(std::uint64_t word) {
  return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52;
}

/// floor(word * count / 2^64): uniform in [0, count) to within count / 2^64.
std::uint64_t pick(std::uint64_t word, std::uint64_t count) {
  return static_cast<std::uint64_t>(Wide{word} * count >> 64);
}

void draw_log_uniform(const Draw& draw) {
  const ValueSpec& spec = draw.values.spec;
  if (!(spec.low > 0.0) || !(spec.high >= spec.low)) {
    throw Error("tensors." + draw.tensor + " values: log_uniform needs 0 < low <= high", Exit::kUsage);
  }
  const double low = draw_log(spec.low), width = draw_log(spec.high) - low;
  draw_each(draw, [&](std::uint64_t w) { return std::clamp(draw_exp(low + width * unit(w)), spec.low, spec.high); });
}

void draw_integers(const Draw& draw) {
  const ValueSpec& spec = draw.values.spec;
  if (!(spec.high >= spec.low) || spec.high - spec.low > 0x1p53) {
    throw Error("tensors." + draw.tensor + " values: integers need low <= high, at most 2^53 apart", Exit::kUsage);
  }
  const auto count = static_cast<std::uint64_t>(spec.high - spec.low) + 1;
  draw_each(draw, [&](std::uint64_t w) { return spec.low + static_cast<double>(pick(w, count)); });
}

void draw_index(const Draw& draw) {
  if (draw.values.extent <= 0) {
    throw Error(
        "tensors." + draw.tensor + " values: an index below 0 doesn't exist; exclude this shape by a constraint",
        Exit::kUsage);
  }
  const auto below = static_cast<std::uint64_t>(draw.values.extent);
  draw_each(draw, [&](std::uint64_t w) { return static_cast<double>(pick(w, below)); });
}

void draw_mask(const Draw& draw) {
  draw_each(draw, [&](std::uint64_t w) { return unit(w) < draw.values.spec.p ? 1.0 : 0.0; });
}

void draw_choice(const Draw& draw) {
  const std::vector<double>& choices = draw.values.spec.choices;
  if (choices.empty())
    throw Error("tensors." + draw.tensor + " values: choice has nothing to choose from", Exit::kUsage);
  draw_each(draw, [&](std::uint64_t w) { return choices[pick(w, choices.size())]; });
}

void draw_constant(const Draw& draw) {
  for (std::int64_t i = 0; i < draw.elements; ++i) draw.put(i, draw.values.spec.value);
}

/// In the order of ValueKind.
constexpr std::array<void (*)(const Draw&), 15> kKinds{
    draw_normal,        draw_uniform,    draw_log_uniform, draw_integers,    draw_positive,
    draw_probabilities, draw_mask,       draw_index,       draw_permutation, draw_offsets,
    draw_spd,           draw_orthogonal, draw_choice,      draw_constant,    draw_file,
};

}  // namespace

void draw_values(const Draw& draw) {
  const auto kind = static_cast<std::size_t>(draw.values.spec.kind);
  if (kind >= kKinds.size()) throw Error("tensors." + draw.tensor + " values: no such kind");
  kKinds[kind](draw);
}

}  // namespace assay
