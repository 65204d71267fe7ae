#include "timing/processes.h"

#include <gtest/gtest.h>
#include <cmath>

#include "core/error.h"
#include "timing/visible.h"
#include "timing_simulation.h"

namespace assay::timing {
namespace {

using simulation::Scenario;

TEST(LogRatios, ArePositiveForAFasterCandidate) {
  const ProcessTimes times{{2.0, 4.0}, {1.0, 2.0}};
  for (const double d : log_ratios(times)) EXPECT_NEAR(d, std::log(2.0), 1e-12);
}

TEST(LogRatios, RefuseWhatIsNoPair) {
  EXPECT_THROW(log_ratios({{1.0}, {1.0, 2.0}}), Error);
  EXPECT_THROW(log_ratios({{}, {}}), Error);
  EXPECT_THROW(log_ratios({{1.0}, {0.0}}), Error);
  EXPECT_THROW(log_ratios({{-1.0}, {1.0}}), Error);
  EXPECT_THROW(log_ratios({{std::nan("")}, {1.0}}), Error);
}

TEST(Student, TextbookQuantile) {
  // t(0.975; 5) = 2.570582: mean 3.5, sd 1.870829, n = 6.
  const std::vector<double> sample{1, 2, 3, 4, 5, 6};
  const Interval x = std::get<Interval>(student_interval(sample, 0.05));
  EXPECT_NEAR(x.low, 3.5 - 2.570582 * 1.870829 / std::sqrt(6.0), 1e-5);
  EXPECT_NEAR(x.high, 3.5 + 2.570582 * 1.870829 / std::sqrt(6.0), 1e-5);
  EXPECT_TRUE(std::holds_alternative<TooFew>(student_interval(std::vector{1.0}, 0.05)));
}

TEST(Variance, IsFoundWhereItComesFrom) {
  Random random(5);
  const auto between = simulation::simulate(random, Scenario::between_processes, 0.0, 40, 20);
  const auto inside = simulation::simulate(random, Scenario::independent, 0.0, 40, 20);
  const VarianceParts b = variance_parts(between, random, 400);
  const VarianceParts i = variance_parts(inside, random, 400);
  // Two sides of 1 % each, 40 processes: 2e-4 / 40; an estimate of it over 40 processes is within half.
  EXPECT_NEAR(b.process, 5e-6, 2.5e-6);
  EXPECT_GT(b.process, 10.0 * b.pair);
  EXPECT_LT(i.process, i.pair);
  EXPECT_GT(b.total, 0.8 * b.process);
  EXPECT_EQ(b.resamples, 400);
}

TEST(Noise, IsSplitIntoItsParts) {
  Random random(6);
  const Noise noise = noise_of(simulation::simulate(random, Scenario::between_processes, 0.0, 60, 40));
  EXPECT_NEAR(noise.process_sd, std::sqrt(2.0) * 0.01, 0.003);
  EXPECT_NEAR(noise.pair_sd, std::sqrt(2.0) * 0.005, 0.0005);
  // Medians of 10 pairs vary by 0.28 % by themselves: none of that is the processes'.
  EXPECT_LT(noise_of(simulation::simulate(random, Scenario::independent, 0.0, 60, 10)).process_sd, 0.0015);
  EXPECT_THROW(noise_of(simulation::simulate(random, Scenario::independent, 0.0, 1, 5)), Error);
}

TEST(Noise, MoreProcessesSeeMoreAndPairsOnlyUpToAPoint) {
  const Noise noise{0.01, 0.005};
  EXPECT_NEAR(smallest_visible({0.01, 0.0}, 6, 20), std::expm1(2.8 * 0.01 / std::sqrt(6.0)), 1e-12);
  EXPECT_LT(smallest_visible(noise, 12, 20), smallest_visible(noise, 6, 20));
  EXPECT_GT(smallest_visible(noise, 6, 1000), smallest_visible({0.01, 0.0}, 6, 1));
}

// Reduced runs of tests/bench/timing_coverage: seeds are fixed, so these can't flake; 600 trials have a standard error
// of 0.9 %.
TEST(Coverage, HoldsUnderEveryKindOfNoise) {
  for (const simulation::ScenarioRow& row : simulation::kScenarios) {
    Random random(77);
    EXPECT_GE(simulation::process_coverage(random, row.scenario, 6, 20, 600), 0.93) << row.name;
    EXPECT_GE(simulation::process_coverage(random, row.scenario, 12, 10, 600), 0.93) << row.name;
  }
}

TEST(Coverage, PairsInsideOneProcessCantSeeWhatVariesBetween) {
  Random random(78);
  EXPECT_GE(simulation::pair_coverage(random, Scenario::drift, 60, 600), 0.93);
  EXPECT_GE(simulation::pair_coverage(random, Scenario::outliers, 60, 600), 0.93);
  EXPECT_GE(simulation::pair_coverage(random, Scenario::autocorrelated, 60, 600), 0.93);
  EXPECT_LT(simulation::pair_coverage(random, Scenario::between_processes, 60, 200), 0.5);
}

}  // namespace
}  // namespace assay::timing
