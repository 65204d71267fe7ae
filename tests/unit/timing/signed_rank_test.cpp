#include "timing/signed_rank.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"

namespace assay::timing {
namespace {

/// Hollander and Wolfe, Nonparametric Statistical Methods, table 3.1: depression scale, first less second visit.
const std::vector<double> kDepression{1.83 - 0.878, 0.50 - 0.647, 1.62 - 0.598, 2.48 - 2.05, 1.68 - 1.06,
                                      1.88 - 1.29,  1.55 - 1.06,  3.06 - 3.14,  1.30 - 1.29};

struct CriticalRow {
  int n;
  int at_5_percent;  ///< two-sided
  int at_1_percent;  ///< -1: none
};
/// Critical values of the Wilcoxon signed-rank statistic as printed in textbooks (Wilcoxon, Katti and Wilcox 1970).
constexpr std::array<CriticalRow, 26> kTable{
    {{5, -1, -1},  {6, 0, -1},    {7, 2, -1},    {8, 3, 0},      {9, 5, 1},     {10, 8, 3},   {11, 10, 5},
     {12, 13, 7},  {13, 17, 9},   {14, 21, 12},  {15, 25, 15},   {16, 29, 19},  {17, 34, 23}, {18, 40, 27},
     {19, 46, 32}, {20, 52, 37},  {21, 58, 42},  {22, 65, 48},   {23, 73, 54},  {24, 81, 61}, {25, 89, 68},
     {26, 98, 75}, {27, 107, 83}, {28, 116, 91}, {29, 126, 100}, {30, 137, 109}}};

TEST(SignedRank, CriticalValuesAreThePublishedOnes) {
  for (const CriticalRow& row : kTable) {
    EXPECT_EQ(critical_value(row.n, 0.05), row.at_5_percent) << "n = " << row.n;
    EXPECT_EQ(critical_value(row.n, 0.01), row.at_1_percent) << "n = " << row.n;
  }
}

TEST(SignedRank, DistributionCountsSubsets) {
  for (int n = 1; n <= 12; ++n) {
    std::vector<double> count(static_cast<std::size_t>(n * (n + 1) / 2 + 1), 0.0);
    for (unsigned set = 0; set < (1u << n); ++set) {
      std::size_t sum = 0;
      for (int i = 0; i < n; ++i) sum += (set >> i & 1u) != 0 ? static_cast<std::size_t>(i + 1) : 0;
      count[sum] += std::ldexp(1.0, -n);
    }
    double below = 0.0;
    for (std::size_t t = 0; t < count.size(); ++t) {
      below += count[t];
      EXPECT_NEAR(signed_rank_cdf(n, static_cast<std::int64_t>(t)), below, 1e-12) << n << " " << t;
    }
  }
  EXPECT_EQ(signed_rank_cdf(6, -1), 0.0);
}

TEST(SignedRank, LargeSamplesUseTheStatedFormula) {
  // floor(60 61 / 4 - 1.959964 sqrt(60 61 121 / 24)) = floor(915 - 1.959964 * 135.8400)
  EXPECT_EQ(critical_value(60, 0.05), 648);
  // At the border the approximation and the exact count agree to one rank.
  const double m = 50 * 51 / 2.0;
  const double approximate = std::floor(m / 2 - 1.959963985 * std::sqrt(50 * 51 * 101 / 24.0));
  EXPECT_NEAR(static_cast<double>(critical_value(50, 0.05)), approximate, 1.0);
}

TEST(SignedRank, TextbookExample) {
  // V = 40, one-sided p = 0.01953, estimate 0.46, 96.1 % interval [0.010, 0.786].
  EXPECT_NEAR(p_above(kDepression, 0.0), 10.0 / 512.0, 1e-12);
  EXPECT_NEAR(hodges_lehmann(kDepression), 0.46, 1e-9);
  const Interval x = std::get<Interval>(signed_rank_interval(kDepression, 0.05));
  EXPECT_NEAR(x.low, 0.010, 5e-4);
  EXPECT_NEAR(x.high, 0.786, 5e-4);
  EXPECT_NEAR(x.confidence, 1.0 - 20.0 / 512.0, 1e-12);
  EXPECT_EQ(x.n, 9);
}

TEST(SignedRank, FiveUnitsHaveNoInterval) {
  const std::vector<double> five{0.1, 0.2, 0.3, 0.4, 0.5};
  const TooFew few = std::get<TooFew>(signed_rank_interval(five, 0.05));
  EXPECT_EQ(few.have, 5);
  EXPECT_EQ(few.need, 6);
  EXPECT_TRUE(std::holds_alternative<TooFew>(signed_rank_interval({}, 0.05)));
}

TEST(SignedRank, SixUnitsGiveTheirRange) {
  const std::vector<double> six{0.3, 0.1, 0.6, 0.4, 0.2, 0.5};
  const Interval x = std::get<Interval>(signed_rank_interval(six, 0.05));
  EXPECT_EQ(x.low, 0.1);
  EXPECT_EQ(x.high, 0.6);
  EXPECT_NEAR(x.confidence, 1.0 - 2.0 / 64.0, 1e-12);
}

TEST(SignedRank, UnitsNeededIsTheSmallestWithAnInterval) {
  for (const double alpha : {0.3, 0.05, 0.01, 1e-3, 1e-4, 1e-6}) {
    const int n = units_needed(alpha);
    EXPECT_GE(critical_value(n, alpha), 0) << alpha;
    EXPECT_EQ(critical_value(n - 1, alpha), -1) << alpha;
  }
  EXPECT_EQ(units_needed(0.05), 6);
  EXPECT_THROW(units_needed(0.0), Error);
}

TEST(SignedRank, EmptySamplesAreOurFault) {
  EXPECT_THROW(hodges_lehmann({}), Error);
  EXPECT_THROW(p_above({}, 0.0), Error);
  EXPECT_THROW(p_below({}, 0.0), Error);
}

std::vector<double> drawn_sample() {
  const auto whole =
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(6, 64), rc::gen::inRange(-50, 50));
  std::vector<double> sample;
  for (const int x : whole) sample.push_back(x / 64.0);
  return sample;
}

RC_GTEST_PROP(SignedRank, TestAndIntervalNeverDisagree, ()) {
  const std::vector<double> sample = drawn_sample();
  const Interval x = std::get<Interval>(signed_rank_interval(sample, 0.05));
  const double anywhere = *rc::gen::inRange(-60, 60) / 64.0;
  for (const double bound : {x.low, x.high, x.low - 1e-9, x.high + 1e-9, anywhere}) {
    RC_ASSERT((p_above(sample, bound) <= 0.025) == (x.low > bound));
    RC_ASSERT((p_below(sample, bound) <= 0.025) == (x.high < bound));
  }
}

RC_GTEST_PROP(SignedRank, MirrorsAndShiftsWithTheSample, ()) {
  const std::vector<double> sample = drawn_sample();
  std::vector<double> mirrored, shifted;
  for (const double x : sample) mirrored.push_back(-x);
  for (const double x : sample) shifted.push_back(x + 2.0);
  const Interval x = std::get<Interval>(signed_rank_interval(sample, 0.05));
  const Interval m = std::get<Interval>(signed_rank_interval(mirrored, 0.05));
  const Interval s = std::get<Interval>(signed_rank_interval(shifted, 0.05));
  RC_ASSERT(m.low == -x.high && m.high == -x.low && m.estimate == -x.estimate);
  RC_ASSERT(s.low == x.low + 2.0 && s.high == x.high + 2.0 && s.estimate == x.estimate + 2.0);
}

RC_GTEST_PROP(SignedRank, EstimateIsTheMedianOfWalshAverages, ()) {
  const std::vector<double> sample = drawn_sample();
  std::vector<double> all = walsh_averages(sample);
  std::sort(all.begin(), all.end());
  const std::size_t m = all.size();
  RC_ASSERT(m == sample.size() * (sample.size() + 1) / 2);
  RC_ASSERT(hodges_lehmann(sample) == 0.5 * (all[(m - 1) / 2] + all[m / 2]));
  const auto k = static_cast<std::size_t>(critical_value(static_cast<int>(sample.size()), 0.05));
  const Interval x = std::get<Interval>(signed_rank_interval(sample, 0.05));
  RC_ASSERT(x.low == all[k] && x.high == all[m - k - 1]);
}

}  // namespace
}  // namespace assay::timing
