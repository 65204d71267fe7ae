#include "timing/processes.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <string>

#include "core/error.h"
#include "timing/distribution.h"
#include "timing/signed_rank.h"

namespace assay::timing {
namespace {

using Sample = std::vector<double>;

Sample resampled(const Sample& sample, Random& random) {
  Sample drawn(sample.size());
  for (double& x : drawn) x = sample[random.below(sample.size())];
  return drawn;
}

double variance(const Sample& sample) {
  return std::pow(standard_deviation(sample), 2);
}

double estimate_with_fresh_pairs(const std::vector<Sample>& ratios, Random& random) {
  Sample medians;
  for (const Sample& process : ratios) medians.push_back(median(resampled(process, random)));
  return hodges_lehmann(medians);
}

std::vector<Sample> fresh_processes(const std::vector<Sample>& ratios, Random& random) {
  std::vector<Sample> drawn;
  for (std::size_t i = 0; i < ratios.size(); ++i) drawn.push_back(ratios[random.below(ratios.size())]);
  return drawn;
}

}  // namespace

std::vector<double> log_ratios(const ProcessTimes& process) {
  const auto& [baseline, candidate] = process;
  if (baseline.empty() || baseline.size() != candidate.size()) {
    throw Error("timing: " + std::to_string(baseline.size()) + " baseline times against " +
                std::to_string(candidate.size()) + " candidate times; every pair needs both");
  }
  std::vector<double> ratios(baseline.size());
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    if (!(baseline[i] > 0.0 && candidate[i] > 0.0)) {
      throw Error("timing: pair " + std::to_string(i) +
                  " has a time that is not positive; drop it with burst_cost first");
    }
    ratios[i] = std::log(baseline[i] / candidate[i]);
  }
  return ratios;
}

std::vector<double> process_medians(std::span<const ProcessTimes> processes) {
  std::vector<double> medians;
  for (const ProcessTimes& process : processes) medians.push_back(median(log_ratios(process)));
  return medians;
}

Estimate process_interval(std::span<const ProcessTimes> processes, double alpha) {
  return signed_rank_interval(process_medians(processes), alpha);
}

Estimate student_interval(std::span<const double> sample, double alpha) {
  const int n = static_cast<int>(sample.size());
  if (n < 2) return TooFew{n, 2};
  const double t = boost::math::quantile(boost::math::complement(boost::math::students_t(n - 1), 0.5 * alpha));
  const double half = t * standard_deviation(sample) / std::sqrt(n);
  const double centre = mean(sample);
  return Interval{centre, centre - half, centre + half, 1.0 - alpha, n};
}

VarianceParts variance_parts(std::span<const ProcessTimes> processes, Random& random, int resamples) {
  std::vector<Sample> ratios;
  for (const ProcessTimes& process : processes) ratios.push_back(log_ratios(process));
  if (ratios.empty()) return {};
  const Sample medians = process_medians(processes);
  Sample by_pair, by_process, by_both;
  for (int i = 0; i < resamples; ++i) {
    by_pair.push_back(estimate_with_fresh_pairs(ratios, random));
    by_process.push_back(hodges_lehmann(resampled(medians, random)));
    by_both.push_back(estimate_with_fresh_pairs(fresh_processes(ratios, random), random));
  }
  return {std::max(0.0, variance(by_process) - variance(by_pair)), variance(by_pair), variance(by_both), resamples};
}

}  // namespace assay::timing
