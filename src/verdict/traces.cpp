#include "verdict/traces.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "numerics/float_formats.h"

/// Theory of operation. If a kernel rounds an input to a narrower type, its error is, to first order, the change that
/// this rounding makes to the truth, and that change can be computed. Its own roundings come on top and have nothing to
/// do with it. So the regression of the error on the change is near 1 for a kernel that does this and near 0 for one
/// that doesn't, however large the error of the sum is. Types as narrow as float16 leave outputs that end in zeros too,
/// which sums of such numbers don't (NUMERICS.md, P1 and P3).
namespace assay {
namespace {

constexpr std::array<NarrowFormat, 7> kFormats{{{11, false, "tf32 or float16"},
                                                {11, true, "tf32, cut off"},
                                                {8, false, "bfloat16"},
                                                {8, true, "bfloat16, cut off"},
                                                {4, false, "float8 e4m3"},
                                                {3, false, "float8 e5m2"},
                                                {3, true, "float8 e5m2, cut off"}}};

constexpr std::int64_t kFewest = 64;
constexpr double kLeastShare = 0.5, kMostShare = 1.5, kDeviations = 8.0;
constexpr double kFarTooSmall = 0.3;

constexpr std::int64_t kFewestOutputs = 256;
constexpr double kNearlyAll = 0.99, kFewOfTheTruth = 0.5;

bool fits(double value, int bits) {
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(value, &exponent), bits);
  return scaled == std::trunc(scaled);
}

double element(const ConstTensorView& view, std::int64_t index) {
  return load_element(view.dtype, view.data + element_offset(view, index) * info(view.dtype).bytes);
}

}  // namespace

std::span<const NarrowFormat> narrow_formats() {
  return kFormats;
}

double to_bits(double value, int bits) {
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(value, &exponent), bits);
  return std::ldexp(std::nearbyint(scaled), exponent - bits);
}

bool Likeness::convicts() const {
  return elements >= kFewest && share > kLeastShare && share < kMostShare && share > kDeviations * deviation;
}

bool Likeness::far_too_small() const {
  return rms_error < kFarTooSmall * rms_change;
}

Likeness likeness(const ConstTensorView& actual, const RealTruth& truth, const RealTruth& altered) {
  double errors = 0.0, changes = 0.0, products = 0.0, error_sum = 0.0, change_sum = 0.0;
  std::int64_t moved = 0;
  for (std::int64_t i = 0; i < actual.elements; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double y = truth.value[at], scale = truth.scale[at], x = element(actual, i);
    const double change = (altered.value[at] - y) / scale, error = (x - y) / scale;
    if (!std::isfinite(error) || !std::isfinite(change) || change == 0.0) continue;
    ++moved;
    error_sum += error;
    change_sum += change;
    errors += error * error;
    changes += change * change;
    products += error * change;
  }
  if (moved == 0) return {};
  const double count = static_cast<double>(moved);
  // Numbers that are cut off lean all to one side, whichever input they belong to: only what varies tells them apart.
  const double variance = changes - change_sum * change_sum / count;
  const double covariance = products - error_sum * change_sum / count;
  const double scatter = errors - error_sum * error_sum / count;
  if (!(variance > 0.0)) return {0.0, 1.0, std::sqrt(errors / count), std::sqrt(changes / count), moved};
  const double share = covariance / variance;
  const double left = std::max(0.0, scatter - share * covariance);
  return {share, std::sqrt(left / std::max(1.0, count - 2.0) / variance), std::sqrt(errors / count),
          std::sqrt(changes / count), moved};
}

std::optional<NarrowOutputs> narrow_outputs(const ConstTensorView& actual, const RealTruth& truth, int promised) {
  const int own = info(actual.dtype).significand_bits;
  for (auto format = kFormats.rbegin(); format != kFormats.rend(); ++format) {
    if (format->toward_zero || format->bits + 2 > std::min(promised, own)) continue;
    std::int64_t count = 0, fitting = 0, rounded = 0, of_truth = 0;
    for (std::int64_t i = 0; i < actual.elements; ++i) {
      const double x = element(actual, i), y = truth.value[static_cast<std::size_t>(i)];
      if (!std::isfinite(x) || !std::isfinite(y) || x == 0.0 || y == 0.0) continue;
      ++count;
      fitting += fits(x, format->bits) ? 1 : 0;
      rounded += x == to_bits(y, format->bits) ? 1 : 0;
      of_truth += fits(round_to(actual.dtype, y), format->bits) ? 1 : 0;
    }
    if (count < kFewestOutputs) return std::nullopt;
    const double all = static_cast<double>(count);
    const NarrowOutputs found{*format, count, static_cast<double>(fitting) / all, static_cast<double>(rounded) / all};
    if (found.fitting >= kNearlyAll && static_cast<double>(of_truth) < kFewOfTheTruth * all) return found;
  }
  return std::nullopt;
}

}  // namespace assay
