#include "roi/amdahl.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "refusal.h"
#include "roi/valid.h"

namespace assay::roi {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::array<Part, 1> one(double share, double speedup, double alternative = 1.0) {
  return {{{share, speedup, alternative}}};
}

struct Golden {
  double share, speedup, end_to_end, saved;
};

class GoldenNumbers : public testing::TestWithParam<Golden> {};

TEST_P(GoldenNumbers, ComeOutExactly) {
  const Golden& golden = GetParam();
  const auto part = one(golden.share, golden.speedup);
  EXPECT_NEAR(end_to_end_speedup(part), golden.end_to_end, 5e-7);
  EXPECT_NEAR(saved_fraction(part), golden.saved, 5e-9);
}

INSTANTIATE_TEST_SUITE_P(OfRoiMd, GoldenNumbers,
                         testing::Values(Golden{0.25, 232, 1.331420, 0.24892241},
                                         Golden{0.05, 232, 1.052393, 0.04978448}, Golden{0.60, 1.5, 1.25, 0.20},
                                         Golden{0.05, 3, 1.034483, 1.0 / 30.0}, Golden{0.25, 2, 1.142857, 0.125},
                                         Golden{0.05, 2, 1.025641, 0.025}, Golden{0.25, 1.25, 1.052632, 0.05}));

TEST(Amdahl, PrintsThePublishedFigures) {
  EXPECT_EQ(fixed_text(end_to_end_speedup(one(0.25, 232)), 4), "1.3314");
  EXPECT_EQ(percent_text(saved_fraction(one(0.25, 232)), 4), "24.8922 %");
  EXPECT_EQ(fixed_text(end_to_end_speedup(one(0.05, 232)), 4), "1.0524");
  EXPECT_EQ(percent_text(saved_fraction(one(0.05, 232)), 4), "4.9784 %");
  EXPECT_EQ(fixed_text(speedup_of_times(0.419, 0.001805), 0), "232");
  EXPECT_EQ(percent_text(1.0 - 1.0 / speedup_of_times(0.108803, 0.001805), 2), "98.34 %");
  EXPECT_EQ(fixed_text(speedup_of_times(0.108803, 0.001805), 2), "60.28");
  EXPECT_EQ(fixed_text(end_to_end_speedup(one(0.6, 1.5)), 2), "1.25");
  EXPECT_EQ(fixed_text(end_to_end_speedup(one(0.05, 3)), 2), "1.03");
}

TEST(Amdahl, ExactTimesOfTheCampaign) {
  EXPECT_NEAR(speedup_of_times(419'000, 1'805), 232.1330, 5e-5);
  EXPECT_NEAR(1.0 - 1'805.0 / 108'803.0, 0.98341038, 5e-9);
}

TEST(Amdahl, InfiniteSpeedupIsTheCeiling) {
  EXPECT_EQ(fixed_text(end_to_end_speedup(one(0.25, kInfinite)), 4), "1.3333");
  EXPECT_EQ(fixed_text(ceiling_speedup(one(0.05, 3)), 4), "1.0526");
  EXPECT_EQ(ceiling_speedup(one(1.0, 2)), kInfinite);
}

TEST(Amdahl, SeveralKernelsAndARegression) {
  const std::array<Part, 2> parts{{{0.25, 2.0, 1.0}, {0.10, 0.8, 1.0}}};
  EXPECT_NEAR(saved_fraction(parts), 0.10, 1e-12);
  EXPECT_EQ(fixed_text(end_to_end_speedup(parts), 4), "1.1111");
  EXPECT_NEAR(combined_speedup(parts), 0.35 / 0.25, 1e-12);
}

TEST(Amdahl, FivePercentLessTimeIsMoreThanFivePercentFaster) {
  EXPECT_NEAR(speedup_of_times(1.0, 0.95), 1.0526, 5e-5);
}

TEST(Amdahl, CreditsOnlyWhatLiesBeyondTheAlternative) {
  const double over_today = speedup_of_times(9.52, 1.95), alternative = speedup_of_times(9.52, 2.09);
  EXPECT_EQ(fixed_text(over_today, 2), "4.88");
  EXPECT_EQ(fixed_text(speedup_of_times(2.09, 1.95), 3), "1.072");
  EXPECT_EQ(percent_text(saved_fraction(one(0.25, over_today, alternative)), 2), "0.37 %");
  EXPECT_EQ(percent_text(saved_fraction(one(0.25, over_today)), 1), "19.9 %");
  EXPECT_LT(end_to_end_speedup(one(0.25, over_today, alternative)), 1.01);
}

TEST(Amdahl, RooflineCeiling) {
  const std::array<double, 2> shares{0.26, 0.10}, floors{0.88, 0.5};
  EXPECT_NEAR(roofline_saved_fraction(shares, floors), 0.26 * 0.12 + 0.05, 1e-12);
}

TEST(Amdahl, SharesOfShapesFollowCallsTimesTime) {
  const std::array<MixShape, 2> mix{{{0.7, 1.0}, {0.3, 10.0}}};
  std::array<double, 2> shares{};
  split_share(0.37, mix, shares);
  EXPECT_NEAR(shares[0], 0.07, 1e-12);
  EXPECT_NEAR(shares[1], 0.30, 1e-12);
}

TEST(Amdahl, BreakEvenSpeedup) {
  const double needed = 299.9872 / (720 * 6.2496);
  EXPECT_EQ(percent_text(needed, 4), "6.6668 %");
  EXPECT_EQ(fixed_text(break_even_speedup(0.25, needed).value(), 4), "1.3636");
  EXPECT_FALSE(break_even_speedup(0.05, needed));
  EXPECT_FALSE(break_even_speedup(0.25, 0.25)) << "only an infinite speed-up would do";
}

TEST(Amdahl, DeltaMethod) {
  EXPECT_EQ(percent_text(saved_fraction_deviation(0.25, 0.01, 2.0, 0.05), 2), "0.59 %");
}

TEST(Amdahl, EndToEndMde) {
  EXPECT_EQ(percent_text(end_to_end_mde(0.0284, 5), 2), "5.03 %");
  EXPECT_EQ(runs_to_resolve(0.0284, 0.0144), 61);
  EXPECT_GT(end_to_end_mde(0.0284, 5), 0.01) << "five runs can't confirm 1 %";
}

TEST(Amdahl, SetupPaysBackAfterCalls) {
  EXPECT_NEAR(setup_break_even_calls(2.0, 1e-3).value(), 2000.0, 1e-9);
  EXPECT_FALSE(setup_break_even_calls(2.0, 0.0));
  EXPECT_FALSE(setup_break_even_calls(2.0, -1.0));
}

TEST(Amdahl, RefusesNonsenseAndSaysWhat) {
  EXPECT_EQ(message_of([] { saved_fraction(one(1.5, 2)); }),
            "the share is 1.5: it must lie between 0 and 1; write 0.015 for 1.5 %");
  EXPECT_EQ(message_of([] { saved_fraction(one(-0.1, 2)); }), "the share is -0.1: it must lie between 0 and 1");
  EXPECT_EQ(message_of([] { saved_fraction(one(std::nan(""), 2)); }), "the share is nan: it must lie between 0 and 1");
  EXPECT_EQ(message_of([] { saved_fraction(one(0.1, 0)); }),
            "the speed-up is 0: it must be above 0 (old time / new time)");
  EXPECT_EQ(message_of([] { speedup_of_times(1.0, 0.0); }), "the time after is 0: it must be above 0 and finite");
  const std::string sum = message_of([] {
    const std::array<Part, 2> parts{{{0.6, 2, 1}, {0.5, 2, 1}}};
    saved_fraction(parts);
  });
  EXPECT_NE(sum.find("the shares of all kernels sum to 1.1"), std::string::npos) << sum;
}

TEST(Rounding, HalfAwayFromZero) {
  EXPECT_EQ(fixed_text(0.125, 2), "0.13");
  EXPECT_EQ(fixed_text(-0.125, 2), "-0.13");
  EXPECT_EQ(fixed_text(2.5, 0), "3");
  EXPECT_EQ(usd_text(4499.712), "$4,499.71");
  EXPECT_EQ(usd_text(-1234567.5), "-$1,234,567.50");
  EXPECT_EQ(usd_text(12.0), "$12.00");
}

}  // namespace
}  // namespace assay::roi
