#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <vector>

#include "core/seed.h"
#include "timing/campaign.h"
#include "timing/processes.h"
#include "timing/signed_rank.h"

/// Simulated timings with a known speed-up: how often do the intervals hold it, and how often is an identical kernel
/// called faster? Used by the table (timing_coverage) and, with fewer trials, by the unit tests.
namespace assay::timing::simulation {

enum class Scenario { independent, outliers, drift, autocorrelated, between_processes, all_together };

struct ScenarioRow {
  Scenario scenario;
  std::string_view name;
};
inline constexpr std::array<ScenarioRow, 6> kScenarios{{
    {Scenario::independent, "independent 0.5 %"},
    {Scenario::outliers, "5 % outliers of 5-15 %"},
    {Scenario::drift, "3 % linear drift"},
    {Scenario::autocorrelated, "AR(1), 0.9"},
    {Scenario::between_processes, "1 % between processes"},
    {Scenario::all_together, "all of these together"},
}};

inline double normal(Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.unit()));
  return radius * std::cos(2.0 * std::numbers::pi * random.unit());
}

/// The machine's slowness over time, as a logarithm: one value per burst, in the order in which bursts run.
class Machine {
 public:
  Machine(Random& random, Scenario scenario, double bursts) : random_(random), scenario_(scenario), bursts_(bursts) {}

  double next() {
    double noise = kNoise * normal(random_);
    state_ = kMemory * state_ + std::sqrt(1.0 - kMemory * kMemory) * noise;
    if (is(Scenario::autocorrelated)) noise = state_;
    if (is(Scenario::outliers) && random_.chance(0.05)) noise += 0.05 + 0.10 * random_.unit();
    if (is(Scenario::drift)) noise += 0.03 * done_ / bursts_;
    done_ += 1.0;
    return noise;
  }

  /// One side of one process: layout and allocation shift all its times.
  double new_process() { return is(Scenario::between_processes) ? 0.01 * normal(random_) : 0.0; }

 private:
  static constexpr double kNoise = 0.005;
  static constexpr double kMemory = 0.9;
  bool is(Scenario wanted) const { return scenario_ == wanted || scenario_ == Scenario::all_together; }

  Random& random_;
  Scenario scenario_;
  double bursts_;
  double done_ = 0.0;
  double state_ = 0.0;
};

inline ProcessTimes simulate_process(Random& random, Machine& machine, double log_speedup, int pairs) {
  const double baseline_shift = machine.new_process();
  const double candidate_shift = machine.new_process() - log_speedup;
  ProcessTimes times;
  for (int i = 0; i < pairs; ++i) {
    const bool baseline_first = random.chance(0.5);
    const double first = machine.next();
    const double second = machine.next();
    times.baseline_s.push_back(1e-4 * std::exp(baseline_shift + (baseline_first ? first : second)));
    times.candidate_s.push_back(1e-4 * std::exp(candidate_shift + (baseline_first ? second : first)));
  }
  return times;
}

inline std::vector<ProcessTimes> simulate(Random& random, Scenario scenario, double log_speedup, int processes,
                                          int pairs) {
  Machine machine(random, scenario, 2.0 * processes * pairs);
  std::vector<ProcessTimes> all;
  for (int i = 0; i < processes; ++i) all.push_back(simulate_process(random, machine, log_speedup, pairs));
  return all;
}

/// Share of `trials` in which the 95 % interval over process medians holds the true speed-up.
inline double process_coverage(Random& random, Scenario scenario, int processes, int pairs, int trials) {
  const double truth = std::log(1.05);
  int held = 0;
  for (int i = 0; i < trials; ++i) {
    const auto interval =
        std::get<Interval>(process_interval(simulate(random, scenario, truth, processes, pairs), kAlpha));
    held += interval.low <= truth && truth <= interval.high ? 1 : 0;
  }
  return static_cast<double>(held) / trials;
}

/// The same for the interval over the pairs of a single process pair.
inline double pair_coverage(Random& random, Scenario scenario, int pairs, int trials) {
  const double truth = std::log(1.05);
  int held = 0;
  for (int i = 0; i < trials; ++i) {
    const auto ratios = log_ratios(simulate(random, scenario, truth, 1, pairs).front());
    const auto interval = std::get<Interval>(signed_rank_interval(ratios, kAlpha));
    held += interval.low <= truth && truth <= interval.high ? 1 : 0;
  }
  return static_cast<double>(held) / trials;
}

/// One stage of a submission of a kernel that is identical to the baseline. `delta` 0 is the hardest question: any gain
/// at all.
inline Effect stage(Random& random, Scenario scenario, int processes, int pairs, double alpha, double delta) {
  const auto times = simulate(random, scenario, 0.0, processes, pairs);
  return decide(exp_of(process_interval(times, alpha)), delta, std::nullopt);
}

/// Whether any of `kernels` identical submissions ends as faster: by selection alone, without sharing of the level, or
/// by the campaign's rules.
struct CampaignOutcome {
  bool naive = false;
  bool shared = false;
};

inline CampaignOutcome simulate_campaign(Random& random, Scenario scenario, int kernels, int pairs, double delta) {
  const Campaign campaign;
  CampaignOutcome outcome;
  for (int i = 1; i <= kernels; ++i) {
    const CampaignShare share = share_of(campaign, i);
    outcome.naive = outcome.naive || std::holds_alternative<Faster>(stage(random, scenario, 6, pairs, kAlpha, delta));
    const Effect selection = stage(random, scenario, share.processes, pairs, share.alpha, delta);
    if (!std::holds_alternative<Faster>(selection)) continue;
    const Effect confirmation = stage(random, scenario, share.processes, pairs, share.alpha, delta);
    outcome.shared = outcome.shared || std::holds_alternative<Faster>(campaign_effect(selection, &confirmation));
  }
  return outcome;
}

}  // namespace assay::timing::simulation
