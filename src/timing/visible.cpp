#include "timing/visible.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/error.h"
#include "timing/compare.h"
#include "timing/distribution.h"

namespace assay::timing {
namespace {

constexpr double kMedianFactor = 0.5 * std::numbers::pi;

}  // namespace

Noise noise_of(std::span<const ProcessTimes> control) {
  if (control.size() < 2) {
    throw Error("timing: the A/A control has " + std::to_string(control.size()) + " process pairs; noise needs two");
  }
  std::vector<double> medians, pair_variances, explained;
  for (const ProcessTimes& process : control) {
    const std::vector<double> ratios = log_ratios(process);
    medians.push_back(median(ratios));
    pair_variances.push_back(std::pow(standard_deviation(ratios), 2));
    explained.push_back(kMedianFactor * pair_variances.back() / static_cast<double>(ratios.size()));
  }
  const double between = std::pow(standard_deviation(medians), 2) - mean(explained);
  return {std::sqrt(std::max(0.0, between)), std::sqrt(mean(pair_variances))};
}

double smallest_visible(const Noise& noise, int processes, int pairs) {
  if (processes < 1 || pairs < 1) throw Error("timing: no effect is visible without pairs");
  const double inside = kMedianFactor * noise.pair_sd * noise.pair_sd / pairs;
  return std::expm1(kPowerFactor * std::sqrt((noise.process_sd * noise.process_sd + inside) / processes));
}

}  // namespace assay::timing
