#include "timing/compare.h"

#include <array>
#include <cmath>

#include "timing/distribution.h"
#include "timing/signed_rank.h"
#include "timing/text.h"

namespace assay::timing {
namespace {

constexpr std::array<std::string_view, 4> kEffectNames{"faster", "slower", "equivalent", "inconclusive"};

Effect finer_than_seen(double detectable) {
  return Inconclusive{"the effect is finer than " + percent_text(detectable) +
                      ", the smallest that this noise lets us see"};
}

Effect decide_interval(const Interval& x, double delta, double detectable) {
  const bool large_enough = std::abs(std::log(x.estimate)) >= std::log1p(detectable);
  if (x.low > 1.0 + delta) return large_enough ? Effect{Faster{}} : finer_than_seen(detectable);
  if (x.high < 1.0 - delta) return large_enough ? Effect{Slower{}} : finer_than_seen(detectable);
  if (x.low <= 1.0 - delta || x.high >= 1.0 + delta) {
    return Inconclusive{"the interval " + range_text(x) + " reaches across a bound of 1 ± " + percent_text(delta)};
  }
  return detectable <= delta ? Effect{Equivalent{}} : finer_than_seen(detectable);
}

std::vector<double> pooled(std::span<const ProcessTimes> processes, std::vector<double> ProcessTimes::*side) {
  std::vector<double> all;
  for (const ProcessTimes& process : processes) all.insert(all.end(), (process.*side).begin(), (process.*side).end());
  return all;
}

void add_reason(std::string& all, const std::string& reason) {
  all += (all.empty() ? "" : "; ") + reason;
}

}  // namespace

double delta_for(std::optional<double> min_speedup) {
  const double half = min_speedup ? 0.5 * (*min_speedup - 1.0) : 0.0;
  return half > 0.0 && half < kDelta ? half : kDelta;
}

std::string_view name_of(const Effect& effect) {
  return kEffectNames[effect.index()];
}

std::optional<double> minimum_detectable(std::span<const double> log_ratios) {
  if (log_ratios.size() < 2) return std::nullopt;
  return std::expm1(kPowerFactor * standard_deviation(log_ratios) / std::sqrt(static_cast<double>(log_ratios.size())));
}

Effect decide(const Estimate& speedup, double delta, std::optional<double> detectable) {
  if (const auto* few = std::get_if<TooFew>(&speedup)) return Inconclusive{too_few_text(*few)};
  return decide_interval(std::get<Interval>(speedup), delta, detectable.value_or(0.0));
}

Equivalence test_equivalence(std::span<const double> log_ratios, double delta) {
  return {p_above(log_ratios, std::log1p(-delta)), p_below(log_ratios, std::log1p(delta))};
}

Gate gate(const Estimate& speedup, std::optional<double> minimum, const std::string& what) {
  if (!minimum) return NoGate{};
  if (const auto* few = std::get_if<TooFew>(&speedup)) return GateOpen{what + ": " + too_few_text(*few)};
  const auto& x = std::get<Interval>(speedup);
  if (x.low > *minimum) return GatePassed{};
  const std::string against =
      what + ": " + ratio_text(x.estimate) + " in " + range_text(x) + " against the minimum " + ratio_text(*minimum);
  if (x.high <= *minimum) return GateMissed{against};
  return GateOpen{against + ": the interval reaches across it"};
}

Gate all_of(std::span<const Gate> gates) {
  std::string missed, open;
  std::size_t asked = 0;
  for (const Gate& one : gates) {
    if (!std::holds_alternative<NoGate>(one)) ++asked;
    if (const auto* miss = std::get_if<GateMissed>(&one)) add_reason(missed, miss->reason);
    if (const auto* left = std::get_if<GateOpen>(&one)) add_reason(open, left->reason);
  }
  if (!missed.empty()) return GateMissed{missed};
  if (!open.empty()) return GateOpen{open};
  if (asked > 0) return GatePassed{};
  return gates.empty() ? Gate{GateOpen{"no shape was timed"}} : Gate{NoGate{}};
}

Comparison compare(std::span<const ProcessTimes> processes, const Rules& rules, Random& random) {
  const std::vector<double> medians = process_medians(processes);
  Comparison result;
  result.speedup = exp_of(signed_rank_interval(medians, rules.alpha));
  result.detectable = minimum_detectable(medians);
  result.effect = decide(result.speedup, rules.delta, result.detectable);
  if (medians.empty()) return result;
  const std::vector<double> candidate = pooled(processes, &ProcessTimes::candidate_s);
  result.baseline_s = median(pooled(processes, &ProcessTimes::baseline_s));
  result.candidate_s = median(candidate);
  result.variance = variance_parts(processes, random);
  result.equivalence = test_equivalence(medians, rules.delta);
  result.pairs = static_cast<int>(candidate.size());
  return result;
}

}  // namespace assay::timing
