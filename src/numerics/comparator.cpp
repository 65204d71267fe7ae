#include "numerics/comparator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "core/error.h"
#include "numerics/blocks.h"
#include "numerics/comparator_chunk.h"
#include "numerics/float_formats.h"
#include "numerics/generator.h"

/// Theory of operation. The tensor is read in chunks of 512 elements in row-major order. A chunk without special
/// values goes straight to the vector loops of comparator_chunk.cpp. In any other, the class rules run element by
/// element first and neutralise what they have settled (truth equals value, so no error), and the loops see numbers
/// only. Histograms are corrected for neutralised elements at the end. Poison is looked for only where an element
/// differs from its truth: first by pattern, then against the regenerated bits.
namespace assay {
namespace {

ValueClass class_of(double x, double smallest_normal) {
  if (std::isnan(x)) return ValueClass::nan;
  if (std::isinf(x)) return x > 0 ? ValueClass::positive_inf : ValueClass::negative_inf;
  if (x == 0.0) return std::signbit(x) ? ValueClass::negative_zero : ValueClass::finite;
  return std::fabs(x) < smallest_normal ? ValueClass::denormal : ValueClass::finite;
}

/// Chunks come in order, but within one the class rules run before everything else.
void note(Faults& faults, std::int64_t at, double expected, double actual) {
  ++faults.count;
  if (faults.first >= 0 && faults.first < at) return;
  faults.first = at;
  faults.expected = expected;
  faults.actual = actual;
}

std::int64_t& of(std::array<std::int64_t, kValueClasses>& counts, ValueClass c) {
  return counts[static_cast<std::size_t>(c)];
}

/// What the class rules say of one element.
enum class Ruling : std::uint8_t { measure, settled, mismatch };

/// Recognises poison that was left in place, by storage offset.
class PoisonSight {
 public:
  PoisonSight(const ConstTensorView& view, const std::optional<PoisonSpec>& poison) : view_(view), poison_(poison) {
    if (poison_ && poison_->kind == Poison::other_answer) poison_.reset();
  }
  bool active() const { return poison_.has_value(); }
  bool nan() const { return active() && poison_->kind == Poison::quiet_nan; }
  /// Whether the element `index` still has the bits that it was poisoned with.
  bool left(std::int64_t index, std::uint64_t bits) const {
    if (!active()) return false;
    const auto offset = static_cast<std::uint64_t>(element_offset(view_, index));
    return poison_bits(*poison_, view_.dtype, offset) == bits;
  }

 private:
  const ConstTensorView& view_;
  std::optional<PoisonSpec> poison_;
};

class RealComparison {
 public:
  RealComparison(const ConstTensorView& view, const RealTruth& truth, const CompareOptions& options)
      : view_(view),
        truth_(truth),
        options_(options),
        limits_(limits_of(view.dtype)),
        sight_(view, options.poison),
        blocks_(view.shape, view.elements),
        chunk_(std::make_unique<Chunk>()),
        histograms_(std::make_unique<Histograms>()) {}

  ErrorProfile run(const std::byte* packed) {
    const auto size = static_cast<std::size_t>(info(view_.dtype).bytes);
    profile_.elements = view_.elements;
    for (std::int64_t at = 0; at < view_.elements; at += static_cast<std::int64_t>(kChunk)) {
      const auto first = static_cast<std::size_t>(at);
      const std::size_t count = std::min(kChunk, static_cast<std::size_t>(view_.elements - at));
      const bool ordinary = load_chunk(view_.dtype, packed + first * size, truth_.value.data() + first,
                                       truth_.scale.data() + first, count, *chunk_);
      look_at_chunk(at, ordinary);
    }
    finish();
    return profile_;
  }

 private:
  void look_at_chunk(std::int64_t at, bool ordinary) {
    Chunk& c = *chunk_;
    if (ordinary) {
      of(profile_.actual_classes, ValueClass::finite) += static_cast<std::int64_t>(c.count);
      of(profile_.expected_classes, ValueClass::finite) += static_cast<std::int64_t>(c.count);
    } else {
      c.own();
      for (std::size_t i = 0; i < c.count; ++i) rule_on(at, i);
    }
    look_for_poison(at);
    add_errors(at, measure_chunk(view_.dtype, c, options_));
    count_chunk(view_.dtype, c, *histograms_);
    blocks_.add(at, std::span(c.rho).first(c.count));
    if (options_.band) look_at_band(at);
    if (histograms_->chunks == kFlushChunks) flush_histograms();
  }

  void rule_on(std::int64_t at, std::size_t i) {
    Chunk& c = *chunk_;
    const double expected = rounded(i);
    ++of(profile_.actual_classes, class_of(c.x[i], limits_.smallest_normal));
    ++of(profile_.expected_classes, class_of(expected, limits_.smallest_normal));
    const Ruling ruling = rule(c.x[i], c.y[i], expected, c.scale[i]);
    if (ruling == Ruling::measure) return;
    const std::int64_t index = at + static_cast<std::int64_t>(i);
    if (sight_.nan() && std::isnan(c.x[i]) && nan_poison_left(index, i, expected)) {
      note(profile_.unwritten, index, c.y[i], c.x[i]);
    }
    if (ruling == Ruling::mismatch) {
      note(profile_.class_mismatches, index, expected, c.x[i]);
      if (options_.band) note(profile_.outside, index, expected, c.x[i]);
    }
    c.settle(i);
    ++settled_;
  }

  double rounded(std::size_t i) const {
    return visit_dtype(view_.dtype, [&](auto codec) {
      return codec.decode(static_cast<typename decltype(codec)::Bits>(chunk_->rounded_at(i)));
    });
  }

  /// Where the truth is NaN too, a narrow format's payload may be met by chance: only a wide one convicts.
  bool nan_poison_left(std::int64_t index, std::size_t i, double expected) const {
    if (std::isnan(expected) && info(view_.dtype).bytes < 4) return false;
    return sight_.left(index, chunk_->bits_at(i));
  }

  Ruling rule(double x, double y, double expected, double scale) const {
    if (!std::isfinite(y) && !options_.special_values) return Ruling::settled;
    if (std::isnan(x) || std::isnan(y))
      return std::isnan(x) && std::isnan(expected) ? Ruling::settled : Ruling::mismatch;
    if (std::isinf(y)) return x == expected ? Ruling::settled : Ruling::mismatch;
    if (std::isfinite(x) && std::isfinite(expected)) return Ruling::measure;
    if (!std::isfinite(x) && x == expected) return Ruling::settled;
    // One side of the overflow threshold each: right only where the tolerance reaches across it.
    const double margin = options_.overflow_margin * options_.u * scale + options_.u_out * std::fabs(y);
    const bool near = std::fabs(std::fabs(y) - limits_.largest) <= margin && std::signbit(x) == std::signbit(y);
    if (!near) return Ruling::mismatch;
    return std::isfinite(x) ? Ruling::measure : Ruling::settled;
  }

  /// Small finite poison among numbers; NaN poison has been seen by the class rules.
  void look_for_poison(std::int64_t at) {
    if (!sight_.active() || (sight_.nan() && is_floating(view_.dtype))) return;
    const Chunk& c = *chunk_;
    for (std::size_t i = 0; i < c.count; ++i) {
      if (c.bits_at(i) == c.rounded_at(i) || !may_be_poison(i)) continue;
      const std::int64_t index = at + static_cast<std::int64_t>(i);
      if (sight_.left(index, c.bits_at(i))) note(profile_.unwritten, index, c.y[i], c.x[i]);
    }
  }

  /// A cheap test first: magnitudes of small poison, and an error that no written element would have by chance.
  bool may_be_poison(std::size_t i) const {
    if (!is_floating(view_.dtype)) return true;
    const double x = std::fabs(chunk_->x[i]);
    const double error = std::fabs(chunk_->x[i] - chunk_->y[i]);
    // A narrow format has so few patterns that honest elements meet them: only an error that is none of theirs tells.
    const bool honest = info(view_.dtype).bytes < 4 && error <= kHonestRho * options_.u * chunk_->scale[i];
    return x >= 0x1p-6 && x < 1.0 && error > 4.0 * limits_.unit_roundoff * x && !honest;
  }

  void add_errors(std::int64_t at, const ChunkErrors& e) {
    profile_.absolute.rms += e.absolute_squares;
    profile_.relative.rms += e.relative_squares;
    profile_.scaled.rms += e.rho_squares;
    profile_.mean_signed_rho += e.signed_rho;
    raise(profile_.absolute, e.absolute_max, at, &ElementError::absolute);
    raise(profile_.relative, e.relative_max, at, &ElementError::relative);
    raise(profile_.scaled, e.rho_max, at, &ElementError::rho);
    raise(profile_.excess, e.excess_max, at, &ElementError::excess);
  }

  void raise(ErrorMeasure& measure, double max, std::int64_t at, double ElementError::*which) {
    if (!(max > measure.max)) return;
    measure.max = max;
    const Chunk& c = *chunk_;
    for (std::size_t i = 0; i < c.count; ++i) {
      if (element_error(view_.dtype, c.x[i], c.y[i], c.scale[i], options_).*which < max) continue;
      measure.at = at + static_cast<std::int64_t>(i);
      return;
    }
  }

  void look_at_band(std::int64_t at) {
    const Chunk& c = *chunk_;
    for (std::size_t i = 0; i < c.count; ++i) {
      if (std::fabs(c.x[i] - c.y[i]) <= options_.band->atol + options_.band->rtol * std::fabs(c.y[i])) continue;
      note(profile_.outside, at + static_cast<std::int64_t>(i), c.y[i], c.x[i]);
    }
  }

  void flush_histograms() {
    for (const auto& part : histograms_->distances) {
      for (std::size_t k = 0; k < part.size(); ++k) {
        profile_.ulp_histogram[k / 64] += part[k];
        if (k % 64 < profile_.trailing_zeros.size()) profile_.trailing_zeros[k % 64] += part[k];
      }
    }
    for (const auto& part : histograms_->rho) {
      for (std::size_t k = 0; k < part.size(); ++k) rho_counts_[k] += part[k];
    }
    *histograms_ = {};
  }

  void finish() {
    flush_histograms();
    profile_.measured = profile_.elements - settled_;
    profile_.ulp_histogram[0] -= settled_;
    rho_counts_[0] -= settled_;
    const double measured = static_cast<double>(std::max<std::int64_t>(profile_.measured, 1));
    for (ErrorMeasure* m : {&profile_.absolute, &profile_.relative, &profile_.scaled})
      m->rms = std::sqrt(m->rms / measured);
    profile_.mean_signed_rho /= measured;
    count_octaves();
    profile_.rho_p50 = quantile(0.5);
    profile_.rho_p99 = quantile(0.99);
    profile_.rho_p999 = quantile(0.999);
    profile_.smallest_k = std::ceil(std::log2(profile_.scaled.max));
    blocks_.summarise(profile_);
  }

  void count_octaves() {
    static_assert(kSweepOctaves == static_cast<std::size_t>(kRhoOctaves) && kSweepZero == kRhoOctaves / 2);
    for (std::size_t bin = 1; bin < kRhoBins; ++bin) {
      const std::size_t octave = std::min((bin - 1) / static_cast<std::size_t>(kRhoPerOctave), kSweepOctaves - 1);
      profile_.rho_octaves[octave] += rho_counts_[bin];
    }
  }

  double quantile(double p) const {
    const double wanted = p * static_cast<double>(profile_.measured);
    std::int64_t below = 0;
    for (std::size_t bin = 0; bin + 1 < kRhoBins; ++bin) {
      below += rho_counts_[bin];
      if (below > 0 && static_cast<double>(below) >= wanted) return std::min(profile_.scaled.max, upper_end(bin));
    }
    return profile_.scaled.max;
  }

  static double upper_end(std::size_t bin) {
    if (bin == 0) return 0.0;
    const auto octave = static_cast<int>((bin - 1) / kRhoPerOctave), part = static_cast<int>((bin - 1) % kRhoPerOctave);
    return std::ldexp(1.0 + (part + 1.0) / kRhoPerOctave, octave - kRhoOctaves / 2);
  }

  static constexpr double kHonestRho = 64.0;
  static constexpr std::uint32_t kFlushChunks = 1u << 20;  // counters of 32 bits stay far from overflow

  const ConstTensorView& view_;
  const RealTruth& truth_;
  const CompareOptions& options_;
  const FloatLimits limits_;
  PoisonSight sight_;
  Blocks blocks_;
  std::unique_ptr<Chunk> chunk_;
  std::unique_ptr<Histograms> histograms_;
  std::array<std::int64_t, kRhoBins> rho_counts_{};
  std::int64_t settled_ = 0;
  ErrorProfile profile_;
};

/// Elements that must be equal.
class ExactComparison {
 public:
  ExactComparison(const ConstTensorView& view, const CompareOptions& options)
      : view_(view), options_(options), sight_(view, options.poison) {}

  ErrorProfile run(const std::byte* packed, const std::byte* truth) {
    profile_.elements = view_.elements;
    visit_dtype(view_.dtype, [&](auto codec) {
      constexpr auto kSize = static_cast<std::int64_t>(sizeof(typename decltype(codec)::Bits));
      for (std::int64_t i = 0; i < view_.elements; ++i) look_at(i, packed + i * kSize, truth + i * kSize, codec);
    });
    profile_.measured = profile_.elements - profile_.mismatches.count;
    profile_.smallest_k = -std::numeric_limits<double>::infinity();
    return profile_;
  }

 private:
  template <class Codec>
  void look_at(std::int64_t index, const std::byte* actual, const std::byte* truth, Codec codec) {
    const auto bits = load_bits(actual, codec), wanted = load_bits(truth, codec);
    const double x = codec.decode(bits), y = codec.decode(wanted);
    const double least = limits_of(view_.dtype).smallest_normal;
    ++of(profile_.actual_classes, class_of(x, least));
    ++of(profile_.expected_classes, class_of(y, least));
    const bool both_nan = std::isnan(x) && std::isnan(y);
    if (bits == wanted || (both_nan && !options_.bits)) return;
    note(profile_.mismatches, index, y, x);
    if (options_.band && !(std::fabs(x - y) <= options_.band->atol + options_.band->rtol * std::fabs(y))) {
      note(profile_.outside, index, y, x);
    }
    if (std::isnan(x) != std::isnan(y) || (std::isinf(x) || std::isinf(y)))
      note(profile_.class_mismatches, index, y, x);
    if (sight_.left(index, bits)) note(profile_.unwritten, index, y, x);
  }

  const ConstTensorView& view_;
  const CompareOptions& options_;
  PoisonSight sight_;
  ErrorProfile profile_;
};

void check_sizes(const ConstTensorView& actual, const Truth& truth) {
  const auto elements = static_cast<std::size_t>(actual.elements);
  const auto* real = std::get_if<RealTruth>(&truth);
  const bool fits =
      real ? real->value.size() == elements && real->scale.size() == elements
           : std::get<ExactTruth>(truth).bytes.size() == elements * static_cast<std::size_t>(info(actual.dtype).bytes);
  if (!fits) throw Error("the truth of an output of " + std::to_string(elements) + " elements has another size");
}

}  // namespace

ErrorProfile compare(const ConstTensorView& actual, const Truth& truth, const CompareOptions& options) {
  check_sizes(actual, truth);
  std::vector<std::byte> packed;
  if (!actual.contiguous) {
    packed.resize(static_cast<std::size_t>(actual.elements) * static_cast<std::size_t>(info(actual.dtype).bytes));
    gather(actual, packed.data());
  }
  const std::byte* data = actual.contiguous ? actual.data : packed.data();
  if (const auto* real = std::get_if<RealTruth>(&truth)) return RealComparison(actual, *real, options).run(data);
  return ExactComparison(actual, options).run(data, std::get<ExactTruth>(truth).bytes.data());
}

}  // namespace assay
