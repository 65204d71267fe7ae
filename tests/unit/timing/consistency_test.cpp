#include "timing/consistency.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "timing/control.h"
#include "timing/distribution.h"
#include "timing/slope.h"
#include "timing_simulation.h"

namespace assay::timing {
namespace {

std::string threat_of(const Consistency& c) {
  if (const auto* s = std::get_if<Suspicion>(&c)) return s->threat;
  return std::holds_alternative<Consistent>(c) ? "consistent" : "unmeasured";
}

TEST(Exceeds, NeedsAllValuesAndStudent) {
  EXPECT_TRUE(std::holds_alternative<TooFew>(exceeds(std::vector(5, 1.0), 0.1, 1e-5)));
  EXPECT_TRUE(std::holds_alternative<Above>(exceeds(std::vector(6, 0.2), 0.1, 1e-5)));
  EXPECT_TRUE(std::holds_alternative<Below>(exceeds(std::vector(6, 0.1), 0.1, 1e-5)));
  EXPECT_TRUE(std::holds_alternative<Below>(exceeds(std::vector{0.3, 0.3, 0.3, 0.3, 0.3, 0.09}, 0.1, 1e-5)));
  EXPECT_TRUE(std::holds_alternative<Below>(exceeds(std::vector{0.11, 0.3, 0.2, 0.15, 0.4, 0.12}, 0.1, 1e-5)));
}

TEST(Exceeds, OneProcessPairOnTheOtherSideAcquits) {
  std::vector<double> values(12, 0.3);
  EXPECT_TRUE(std::holds_alternative<Above>(exceeds(values, 0.1, 0.05)));
  values.back() = 0.09;  // Student's interval alone would still lie above
  EXPECT_TRUE(std::holds_alternative<Below>(exceeds(values, 0.1, 0.05)));
}

TEST(Exceeds, NoiseOfOnesOwnIsNoHidingPlace) {
  const std::vector<double> wild{0.95, 3.0, 1.0, 9.0, 2.0, 5.0};
  EXPECT_TRUE(std::holds_alternative<Above>(exceeds(wild, 0.1, 1e-5)));  // all above 0.1 x 10^(5/6) = 0.68
  EXPECT_TRUE(std::holds_alternative<Below>(exceeds(wild, 0.2, 1e-5)));
}

TEST(Exceeds, HonestNoiseStaysBelowItsLevel) {
  Random random(8);
  int accused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<double> values;
    for (int p = 0; p < 6; ++p) values.push_back(0.05 + 0.02 * simulation::normal(random));  // its centre at the margin
    accused += std::holds_alternative<Above>(exceeds(values, 0.05, 0.01)) ? 1 : 0;
  }
  EXPECT_LE(accused, 150);  // level 0.01 two-sided: 100 expected
  EXPECT_GT(accused, 40);
}

/// Six process pairs of bursts of 10 to 40 calls of 50 us, 1 % noise; null 20 us + 1 us a call.
template <class Burst>
std::vector<Ladder> ladders(Burst subject_s) {
  Random random(21);
  std::vector<Ladder> all;
  for (int p = 0; p < 6; ++p) {
    Ladder ladder;
    for (const double n : {10.0, 20.0, 30.0, 40.0}) {
      const auto noise = [&] { return 1.0 + 0.01 * simulation::normal(random); };
      ladder.calls.push_back(n);
      ladder.null_s.push_back((20e-6 + 1e-6 * n) * noise());
      ladder.baseline_s.push_back(20e-6 + 1e-6 * n + 20e-6 + 60e-6 * n * noise());
      ladder.subject_s.push_back(20e-6 + 1e-6 * n + subject_s(n) * noise());
    }
    all.push_back(ladder);
  }
  return all;
}

TEST(Slope, HonestSubjectsAreStraight) {
  EXPECT_EQ(threat_of(check_slope(ladders([](double n) { return 50e-6 * n; }), {})), "consistent");
  EXPECT_EQ(threat_of(check_slope(ladders([](double n) { return 30e-6 + 50e-6 * n; }), {})), "consistent");
}

TEST(Slope, SleepingInShortBurstsIsBending) {
  const auto bent = check_slope(ladders([](double) { return 50e-6 * 40; }), {});
  EXPECT_EQ(threat_of(bent), "E23");
  EXPECT_NEAR(std::get<double>(std::get<Suspicion>(bent).evidence.at("share")), 0.99, 0.03);
  EXPECT_EQ(threat_of(check_slope(ladders([](double n) { return 600e-6 + 30e-6 * n; }), {})), "E23");
}

TEST(Slope, CurvesAreBending) {
  // Straight through the origin at both ends, but sagging or bulging between: no intercept alone tells.
  for (const double bulge_s : {400e-6, -400e-6}) {
    const auto subject = [bulge_s](double n) { return 50e-6 * n + (n == 20.0 || n == 30.0 ? bulge_s : 0.0); };
    const auto bent = check_slope(ladders(subject), {});
    ASSERT_EQ(threat_of(bent), "E23");
    EXPECT_NE(std::get<Suspicion>(bent).message.find("a curve"), std::string::npos);
  }
}

TEST(Slope, FewProcessesAreNoEvidence) {
  auto few = ladders([](double) { return 2e-3; });
  few.pop_back();
  EXPECT_EQ(threat_of(check_slope(few, {})), "unmeasured");
}

TEST(Slope, LineIsLeastSquares) {
  const std::vector<double> n{1, 2, 3, 4}, wall{5, 8, 13, 20}, null{1, 1, 1, 1};  // less null: n^2 + 3
  const Line line = fit_line(n, wall, null);
  EXPECT_NEAR(line.slope_s, 5.0, 1e-12);
  EXPECT_NEAR(line.intercept_s, -2.0, 1e-12);
  EXPECT_NEAR(line.bow_s, -9.0 / 4.0, 1e-12);  // coefficient 1, span 3
  EXPECT_THROW(fit_line(std::vector{1.0, 2.0}, std::vector{1.0, 2.0}, std::vector{0.0, 0.0}), Error);
}

std::vector<SingleAndBurst> singles(double single_s, double burst_s) {
  Random random(31);
  std::vector<SingleAndBurst> all;
  for (int p = 0; p < 6; ++p) {
    const auto noise = [&] { return 1.0 + 0.01 * simulation::normal(random); };
    all.push_back({single_s * noise(), burst_s * noise(), 110e-6 * noise(), 100e-6 * noise()});
  }
  return all;
}

TEST(SingleAgainstBurst, AcquitsColdCachesAndConvictsBatches) {
  EXPECT_EQ(threat_of(check_single_against_burst(singles(60e-6, 50e-6), 0.05, 1e-5)), "consistent");
  EXPECT_EQ(threat_of(check_single_against_burst(singles(50e-6, 60e-6), 0.05, 1e-5)), "consistent");
  EXPECT_EQ(threat_of(check_single_against_burst(singles(100e-6, 10e-6), 0.05, 1e-5)), "A8");
  auto few = singles(100e-6, 10e-6);
  few.pop_back();
  EXPECT_EQ(threat_of(check_single_against_burst(few, 0.05, 1e-5)), "unmeasured");
  few[0].single_s = -1e-6;
  EXPECT_EQ(threat_of(check_single_against_burst(few, 0.05, 1e-5)), "unmeasured");
}

std::vector<EventAndWall> events(double event_s, double wall_s) {
  return std::vector<EventAndWall>(6, {event_s, wall_s, 99.0e-6, 100e-6});
}

TEST(Events, MustFitTheWall) {
  EXPECT_EQ(threat_of(check_events(events(99.5e-6, 100e-6), {})), "consistent");
  EXPECT_EQ(threat_of(check_events(events(97.5e-6, 100e-6), {})), "consistent");
  EXPECT_EQ(threat_of(check_events(events(101e-6, 100e-6), {})), "E7");
  EXPECT_EQ(threat_of(check_events(events(50e-6, 100e-6), {})), "E1");
  // 0.3 us are allowed, whatever share that is and whatever the reference shows.
  EXPECT_EQ(threat_of(check_events(std::vector<EventAndWall>(6, {1.8e-6, 2e-6, 2e-6, 2e-6}), {})), "consistent");
  EXPECT_EQ(threat_of(check_events(std::vector<EventAndWall>(6, {1.6e-6, 2e-6, 2e-6, 2e-6}), {})), "E1");
  EXPECT_EQ(threat_of(check_events(events(-1e-6, 2e-6), {})), "unmeasured");
  EXPECT_EQ(threat_of(check_events(events(std::nan(""), 2e-6), {})), "unmeasured");
}

TEST(Speedups, MustOverlap) {
  const Interval wall{1.0, 0.98, 1.02, 0.95, 6};
  EXPECT_EQ(threat_of(check_speedups(wall, Interval{1.03, 1.01, 1.05, 0.95, 6})), "consistent");
  EXPECT_EQ(threat_of(check_speedups(wall, Interval{1.50, 1.40, 1.60, 0.95, 6})), "E6");
  EXPECT_EQ(threat_of(check_speedups(wall, Interval{0.50, 0.40, 0.60, 0.95, 6})), "E6");
  EXPECT_EQ(threat_of(check_speedups(wall, TooFew{2, 6})), "unmeasured");
}

TEST(Processors, StayWithinThreads) {
  EXPECT_EQ(threat_of(check_processors(1.05, 1.0, 1)), "consistent");
  EXPECT_EQ(threat_of(check_processors(1.95, 1.0, 1)), "F9");
  EXPECT_EQ(threat_of(check_processors(1.95, 1.0, 2)), "consistent");
  EXPECT_EQ(threat_of(check_processors(1.0, 0.0, 1)), "unmeasured");
  EXPECT_EQ(threat_of(check_idle(1e-6, 1.0, 1e-4)), "consistent");
  EXPECT_EQ(threat_of(check_idle(1e-2, 1.0, 1e-4)), "A15");
}

std::vector<double> two_groups(double share, double ratio) {
  Random random(41);
  std::vector<double> times;
  for (int i = 0; i < 200; ++i) {
    times.push_back(1e-4 * (i < share * 200 ? ratio : 1.0) * (1.0 + 0.005 * simulation::normal(random)));
  }
  return times;
}

TEST(Modes, AreFoundAndNotInvented) {
  const Modes modes = modes_of(two_groups(0.3, 1.2));
  const auto& two = std::get<TwoModes>(modes);
  EXPECT_NEAR(two.lower_s, 1e-4, 1e-6);
  EXPECT_NEAR(two.upper_s, 1.2e-4, 1e-6);
  EXPECT_NEAR(two.upper_share, 0.3, 0.01);
  EXPECT_TRUE(std::holds_alternative<OneMode>(modes_of(two_groups(0.0, 1.0))));
  EXPECT_TRUE(std::holds_alternative<OneMode>(modes_of(two_groups(0.04, 1.2))));  // outliers
  EXPECT_TRUE(std::holds_alternative<OneMode>(modes_of(std::vector(50, 1e-4))));
  EXPECT_TRUE(std::holds_alternative<TooFewForModes>(modes_of(std::vector(19, 1e-4))));
  std::vector<double> uniform;
  for (int i = 0; i < 200; ++i) uniform.push_back(1e-4 * (1.0 + i / 200.0));
  EXPECT_TRUE(std::holds_alternative<OneMode>(modes_of(uniform)));
}

TEST(Shape, SuspectsCachedAnswers) {
  EXPECT_EQ(threat_of(check_shape(two_groups(0.0, 1.0))), "consistent");
  EXPECT_EQ(threat_of(check_shape(two_groups(0.01, 0.4))), "E20");
  EXPECT_EQ(threat_of(check_shape(two_groups(0.3, 0.6))), "E20");
  EXPECT_EQ(threat_of(check_shape({})), "unmeasured");
}

TEST(Summary, QuantilesAreTypeSeven) {
  // R: quantile(1:10, c(.5, .99)) = 5.5, 9.91.
  const Summary s = summarise(std::vector<double>{10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
  EXPECT_NEAR(s.p50_s, 5.5, 1e-12);
  EXPECT_NEAR(s.p99_s, 9.91, 1e-12);
  EXPECT_EQ(s.min_s, 1.0);
  EXPECT_EQ(s.max_s, 10.0);
  EXPECT_NEAR(standard_deviation(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9}), std::sqrt(32.0 / 7.0), 1e-12);
  EXPECT_THROW(summarise({}), Error);
}

TEST(Control, FitsInsideDeltaAfterOneRetryAtMost) {
  const Interval good{1.0, 0.985, 1.015, 0.95, 6}, bad{1.01, 0.99, 1.02, 0.95, 6};
  EXPECT_TRUE(std::holds_alternative<Fit>(judge_control(good, 0.02, 1)));
  EXPECT_TRUE(std::holds_alternative<Fit>(judge_control(good, 0.02, 2)));
  EXPECT_TRUE(std::holds_alternative<Again>(judge_control(bad, 0.02, 1)));
  EXPECT_TRUE(std::holds_alternative<Unfit>(judge_control(bad, 0.02, 2)));
  EXPECT_TRUE(std::holds_alternative<Unfit>(judge_control(TooFew{2, 6}, 0.02, 1)));
  EXPECT_NEAR(noise_floor(bad), 0.02, 1e-12);
}

TEST(Control, TheOtherSideMustNotSlowDown) {
  EXPECT_EQ(threat_of(compare_control(std::vector<ControlBlock>(6, {1.01, 0.99, 1.01}), 0.02, 1e-5)), "consistent");
  EXPECT_EQ(threat_of(compare_control(std::vector<ControlBlock>(6, {1.20, 0.99, 1.01}), 0.02, 1e-5)), "E14");
  EXPECT_EQ(threat_of(compare_control(std::vector<ControlBlock>(6, {0.80, 0.99, 1.01}), 0.02, 1e-5)), "consistent");
  EXPECT_EQ(threat_of(compare_control(std::vector<ControlBlock>(5, {1.20, 1.0, 1.0}), 0.02, 1e-5)), "unmeasured");
  EXPECT_THROW(compare_control(std::vector<ControlBlock>(6, {1.0, 0.0, 1.0}), 0.02, 1e-5), Error);
}

TEST(Control, DriftInvalidatesABlock) {
  EXPECT_TRUE(std::holds_alternative<BlockValid>(block_validity({1.0, 1.005}, 0.01)));
  EXPECT_NEAR(std::get<BlockInvalid>(block_validity({1.0, 0.98}, 0.01)).drift, 0.0202, 1e-4);
}

}  // namespace
}  // namespace assay::timing
