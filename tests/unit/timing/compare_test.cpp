#include "timing/compare.h"

#include <gtest/gtest.h>
#include <cmath>

#include "core/error.h"
#include "timing/mix.h"
#include "timing/multiplicity.h"
#include "timing/signed_rank.h"
#include "timing_simulation.h"

namespace assay::timing {
namespace {

Estimate between(double low, double high) {
  return Interval{std::sqrt(low * high), low, high, 0.96, 6};
}

std::string_view effect(double low, double high, double delta = kDelta,
                        std::optional<double> detectable = std::nullopt) {
  return name_of(decide(between(low, high), delta, detectable));
}

TEST(Delta, IsHalfTheMarginWhereThatIsSmaller) {
  EXPECT_EQ(delta_for(std::nullopt), 0.02);
  EXPECT_EQ(delta_for(1.05), 0.02);
  EXPECT_NEAR(delta_for(1.01), 0.005, 1e-12);
  EXPECT_EQ(delta_for(0.95), 0.02);
  EXPECT_EQ(delta_for(1.0), 0.02);
}

TEST(Decide, NeedsTheWholeIntervalOnOneSide) {
  EXPECT_EQ(effect(1.021, 1.1), "faster");
  EXPECT_EQ(effect(1.02, 1.1), "inconclusive");
  EXPECT_EQ(effect(0.9, 0.979), "slower");
  EXPECT_EQ(effect(0.9, 0.98), "inconclusive");
  EXPECT_EQ(effect(0.981, 1.019), "equivalent");
  EXPECT_EQ(effect(0.98, 1.019), "inconclusive");
  EXPECT_EQ(effect(0.981, 1.02), "inconclusive");
  EXPECT_EQ(effect(0.9, 1.1), "inconclusive");
  EXPECT_EQ(effect(1.006, 1.01, 0.005), "faster");
}

TEST(Decide, IsNoFinerThanTheDetectableEffect) {
  EXPECT_EQ(effect(1.025, 1.035, 0.02, 0.05), "inconclusive");
  EXPECT_EQ(effect(1.025, 1.035, 0.02, 0.01), "faster");
  EXPECT_EQ(effect(0.965, 0.975, 0.02, 0.05), "inconclusive");
  EXPECT_EQ(effect(0.99, 1.01, 0.02, 0.03), "inconclusive");
  EXPECT_EQ(effect(0.99, 1.01, 0.02, 0.02), "equivalent");
}

TEST(Decide, TooFewProcessesSaySo) {
  const Effect none = decide(TooFew{5, 6}, 0.02, std::nullopt);
  EXPECT_EQ(std::get<Inconclusive>(none).reason, "5 process pairs where this level needs 6");
}

TEST(Detectable, FollowsTheFormula) {
  std::vector<double> d;
  for (int i = 0; i < 60; ++i) d.push_back(i % 2 == 0 ? 0.005 : -0.005);
  EXPECT_NEAR(*minimum_detectable(d), 0.0018, 0.00005);  // TIMING.md: sd 0.5 %, n = 60 gives 0.18 %
  EXPECT_FALSE(minimum_detectable(std::vector<double>{0.1}));
}

TEST(Equivalence, AgreesWithTheInterval) {
  Random random(11);
  int inside = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<double> d;
    for (int i = 0; i < 8; ++i) d.push_back(0.016 * simulation::normal(random));
    const Interval x = exp_of(std::get<Interval>(signed_rank_interval(d, 0.05)));
    const bool equal = x.low > 0.98 && x.high < 1.02;
    inside += equal ? 1 : 0;
    EXPECT_EQ(test_equivalence(d, 0.02).p() <= 0.025, equal);
  }
  EXPECT_GT(inside, 20);
  EXPECT_LT(inside, 380);
}

TEST(Gate, PassesOnlyWithTheWholeIntervalAbove) {
  EXPECT_TRUE(std::holds_alternative<NoGate>(gate(between(1.0, 2.0), std::nullopt, "mix")));
  EXPECT_TRUE(std::holds_alternative<GatePassed>(gate(between(1.051, 1.1), 1.05, "mix")));
  EXPECT_TRUE(std::holds_alternative<GateOpen>(gate(between(1.05, 1.1), 1.05, "mix")));
  EXPECT_TRUE(std::holds_alternative<GateOpen>(gate(between(1.0, 1.1), 1.05, "mix")));
  EXPECT_TRUE(std::holds_alternative<GateMissed>(gate(between(1.0, 1.05), 1.05, "mix")));
  EXPECT_TRUE(std::holds_alternative<GateOpen>(gate(TooFew{3, 6}, 1.05, "mix")));
}

TEST(Gate, OfAllShapesIsAsGoodAsTheWorst) {
  const Gate none = NoGate{}, passed = GatePassed{}, missed = GateMissed{"H=1"}, open = GateOpen{"H=2"};
  EXPECT_TRUE(std::holds_alternative<GatePassed>(all_of(std::vector{passed, none, passed})));
  EXPECT_TRUE(std::holds_alternative<GateOpen>(all_of(std::vector{passed, open})));
  EXPECT_EQ(std::get<GateMissed>(all_of(std::vector{missed, open, passed, missed})).reason, "H=1; H=1");
  EXPECT_TRUE(std::holds_alternative<NoGate>(all_of(std::vector{none})));
  EXPECT_TRUE(std::holds_alternative<GateOpen>(all_of({})));
}

TEST(Holm, TextbookExample) {
  const std::vector<double> adjusted = holm(std::vector{0.01, 0.04, 0.03, 0.005});
  const std::vector<double> expected{0.03, 0.06, 0.06, 0.02};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-12);
  EXPECT_EQ(holm(std::vector{0.6, 0.9}), (std::vector{1.0, 1.0}));
  EXPECT_TRUE(holm({}).empty());
}

TEST(Levels, AreSharedWithoutRemainder) {
  EXPECT_EQ(simultaneous_level(0.05, 5), 0.01);
  EXPECT_THROW(simultaneous_level(0.05, 0), Error);
  const std::vector<BudgetLine> lines{{"a", 1.0}, {"b", 3.0}};
  EXPECT_NEAR(split_budget(lines)[0], 0.25e-4, 1e-18);
  EXPECT_NEAR(split_budget(lines)[1], 0.75e-4, 1e-18);
  EXPECT_THROW(split_budget(std::vector<BudgetLine>{{"a", 0.0}}), Error);
}

ProcessTimes constant(double baseline_s, double candidate_s) {
  return {std::vector<double>(7, baseline_s), std::vector<double>(7, candidate_s)};
}

TEST(Mix, IsTheRatioOfWeightedSums) {
  // 0.7 x 10 us + 0.3 x 1000 us against 0.7 x 5 us + 0.3 x 1100 us: 307 / 333.5, although the geometric mean is
  // above 1.
  const std::vector<MixShape> shapes{{0.7, std::vector<ProcessTimes>(6, constant(10e-6, 5e-6))},
                                     {0.3, std::vector<ProcessTimes>(6, constant(1000e-6, 1100e-6))}};
  const Mix mix = compare_mix(shapes, {});
  EXPECT_NEAR(std::get<Interval>(mix.speedup).estimate, 307.0 / 333.5, 1e-9);
  EXPECT_EQ(name_of(mix.effect), "slower");
  EXPECT_NEAR(mix.baseline_s, 307e-6, 1e-12);
  EXPECT_NEAR(mix.candidate_s, 333.5e-6, 1e-12);
}

TEST(Mix, WeightsNeedNotSumToOne) {
  std::vector<MixShape> shapes{{7.0, std::vector<ProcessTimes>(6, constant(10e-6, 5e-6))},
                               {3.0, std::vector<ProcessTimes>(6, constant(1e-3, 1.1e-3))}};
  EXPECT_NEAR(compare_mix(shapes, {}).baseline_s, 307e-6, 1e-12);
}

TEST(Mix, EveryShapeNeedsEveryProcessPair) {
  std::vector<MixShape> shapes{{1.0, std::vector<ProcessTimes>(6, constant(1.0, 1.0))},
                               {1.0, std::vector<ProcessTimes>(5, constant(1.0, 1.0))}};
  EXPECT_THROW(compare_mix(shapes, {}), Error);
  shapes.pop_back();
  shapes[0].weight = 0.0;
  EXPECT_THROW(compare_mix(shapes, {}), Error);
  EXPECT_TRUE(std::holds_alternative<TooFew>(compare_mix({}, {}).speedup));
}

TEST(Compare, FindsAKnownRatio) {
  Random random(3);
  const auto times = simulation::simulate(random, simulation::Scenario::drift, std::log(1.10), 6, 20);
  const Comparison c = compare(times, {}, random);
  EXPECT_EQ(name_of(c.effect), "faster");
  const Interval x = std::get<Interval>(c.speedup);
  EXPECT_LT(x.low, 1.10);
  EXPECT_GT(x.high, 1.10);
  EXPECT_NEAR(c.baseline_s / c.candidate_s, 1.10, 0.01);
  EXPECT_EQ(c.pairs, 120);
  ASSERT_TRUE(c.equivalence);
  EXPECT_GT(c.equivalence->p(), 0.9);
}

TEST(Compare, NothingTimedIsInconclusive) {
  Random random(3);
  const Comparison c = compare({}, {}, random);
  EXPECT_EQ(name_of(c.effect), "inconclusive");
  EXPECT_EQ(c.pairs, 0);
}

}  // namespace
}  // namespace assay::timing
