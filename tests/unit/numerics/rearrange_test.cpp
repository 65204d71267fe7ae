#include "numerics/rearrange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support.h"

namespace assay {
namespace {

using namespace testing_support;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// 8 rows of 12 normal numbers, edited; and as they were.
struct Pair {
  Owned before{DType::f32, {8, 12}}, after{DType::f32, {8, 12}};

  explicit Pair(const std::vector<ValueEdit>& edits) {
    fill(before, kind(ValueKind::normal));
    fill(after, kind(ValueKind::normal), {0, edits});
  }
  std::vector<double> row(const Owned& from, int r) const {
    std::vector<double> values;
    for (int c = 0; c < 12; ++c) values.push_back(from.at(r * 12 + c));
    return values;
  }
};

TEST(Rearrange, BlocksAreScaledByOnePowerOfTwoEach) {
  const Pair p({ScaleBlocksEdit{2, 4, -3, 3, 5}});
  std::set<double> factors;
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 12; ++c) {
      const double factor = p.after.at(r * 12 + c) / p.before.at(r * 12 + c);
      EXPECT_EQ(factor, p.after.at(r / 2 * 24 + c / 4 * 4) / p.before.at(r / 2 * 24 + c / 4 * 4));
      EXPECT_EQ(std::exp2(std::round(std::log2(factor))), factor);
      EXPECT_LE(std::fabs(std::log2(factor)), 3);
      factors.insert(factor);
    }
  }
  EXPECT_GT(factors.size(), 2u);
}

TEST(Rearrange, OneKeyUpwardsAndDownwardsCancels) {
  const Pair up({ScaleBlocksEdit{0, 4, -5, 5, 9}}), down({ScaleBlocksEdit{0, 4, 5, -5, 9}});
  for (int i = 0; i < 96; ++i) {
    EXPECT_EQ(up.after.at(i) * down.after.at(i), static_cast<double>(up.before.at(i)) * up.before.at(i));
  }
}

TEST(Rearrange, TheTailOfTheRowsIsScaled) {
  const Pair p({ScaleTailEdit{6, 4}});
  for (int i = 0; i < 96; ++i) EXPECT_EQ(p.after.at(i), p.before.at(i) * (i < 72 ? 1 : 16));
}

TEST(Rearrange, TheEndOfEachRowBecomesZero) {
  const Pair quarter({ZeroTailEdit{0.25}}), least({ZeroTailEdit{1e-9}});
  for (int i = 0; i < 96; ++i) {
    EXPECT_EQ(quarter.after.at(i), i % 12 < 9 ? quarter.before.at(i) : 0.0);
    EXPECT_EQ(least.after.at(i), i % 12 < 11 ? least.before.at(i) : 0.0);
  }
}

TEST(Rearrange, DenormalsBecomeZerosOfTheirSign) {
  const Pair p({SetElementEdit{0.5 / 96, 1e-40}, SetElementEdit{1.5 / 96, -1e-40}, FlushEdit{}});
  EXPECT_EQ(p.after.at(0), 0.0);
  EXPECT_EQ(p.after.at(1), 0.0);
  EXPECT_TRUE(std::signbit(p.after.at(1)));
  for (int i = 2; i < 96; ++i) EXPECT_EQ(p.after.at(i), p.before.at(i));
}

TEST(Rearrange, SomeBlocksBecomeZeroAndTheRestStays) {
  const Pair p({ZeroBlocksEdit{1, 4, 0.5, 3}});
  int zeros = 0;
  for (int i = 0; i < 96; ++i) {
    zeros += p.after.at(i) == 0;
    EXPECT_TRUE(p.after.at(i) == 0 || p.after.at(i) == p.before.at(i));
    EXPECT_EQ(p.after.at(i) == 0, p.after.at(i / 4 * 4) == 0);
  }
  EXPECT_GT(zeros, 12);
  EXPECT_LT(zeros, 84);
}

TEST(Rearrange, SprinklesAtLeastOne) {
  const Pair p({SprinkleEdit{{kNaN, 7.0}, 1e-9, 3}});
  int changed = 0;
  for (int i = 0; i < 96; ++i) changed += p.after.at(i) != p.before.at(i);
  EXPECT_EQ(changed, 1);
}

TEST(Rearrange, SortsRowsNotTheTensorAndKeepsNaN) {
  const Pair p({SetElementEdit{0.5 / 96, kNaN}, SortEdit{true}});
  for (int r = 0; r < 8; ++r) {
    auto expected = p.row(p.before, r), got = p.row(p.after, r);
    if (r == 0) {
      EXPECT_TRUE(std::isnan(got[0]));
      got.erase(got.begin());
      expected.erase(expected.begin());
    }
    std::sort(expected.rbegin(), expected.rend());
    EXPECT_EQ(got, expected);
  }
}

TEST(Rearrange, TiesAreMadeOfTheRowsOwnValues) {
  const Pair p({TieEdit{2, 3}});
  for (int i = 0; i < 96; ++i) {
    const int first = i / 12 * 12;
    EXPECT_TRUE(p.after.at(i) == p.before.at(first) || p.after.at(i) == p.before.at(first + 1));
  }
}

TEST(Rearrange, NeighboursCancel) {
  const Pair p({CancelEdit{}});
  for (int i = 0; i < 96; i += 2) {
    EXPECT_EQ(p.after.at(i), p.before.at(i));
    EXPECT_EQ(p.after.at(i + 1), -p.before.at(i));
  }
}

TEST(Rearrange, OnlyTheDiagonalStays) {
  const Pair p({DiagonalEdit{}});
  for (int i = 0; i < 96; ++i) EXPECT_EQ(p.after.at(i), i % 12 == i / 12 ? p.before.at(i) : 0.0);
}

TEST(Rearrange, LowRankRowsAreHalvesOfTheFirst) {
  const Pair p({LowRankEdit{1, 3}});
  for (int i = 12; i < 96; ++i) {
    const double factor = p.after.at(i) / p.before.at(i % 12);
    EXPECT_TRUE(factor == 1 || factor == 0.5 || factor == 0.25 || factor == 0.125);
    EXPECT_EQ(factor, p.after.at(i / 12 * 12) / p.before.at(0));
  }
}

TEST(Rearrange, RowsChangePlacesWhole) {
  const Pair p({PermuteEdit{3}});
  std::multiset<std::vector<double>> before, after;
  for (int r = 0; r < 8; ++r) before.insert(p.row(p.before, r));
  for (int r = 0; r < 8; ++r) after.insert(p.row(p.after, r));
  EXPECT_EQ(before, after);
  EXPECT_NE(p.before.all(), p.after.all());
}

TEST(Rearrange, OneRunHoldsEverything) {
  for (const double where : {0.0, 0.4, 1.0}) {
    Owned offsets(DType::i32, {6});
    fill(offsets, kind(ValueKind::offsets, 100), {0, {OneRunEdit{where}}});
    const int last = where == 0.0 ? 0 : where == 0.4 ? 2 : 4;  // runs before it are empty
    for (int i = 0; i < 6; ++i) EXPECT_EQ(offsets.at(i), i <= last ? 0 : 100);
  }
}

TEST(Rearrange, SignsAndRange) {
  const Pair p({SignEdit{true}, ClampEdit{-1.0, -0.25}});
  for (int i = 0; i < 96; ++i) {
    EXPECT_EQ(p.after.at(i), std::clamp(-std::fabs(p.before.at(i)), -1.0, -0.25));
  }
}

TEST(Rearrange, WholeNumbersOfARange) {
  const Pair p({IntegersEdit{-3, 3, 7}});
  std::set<double> seen;
  for (int i = 0; i < 96; ++i) seen.insert(p.after.at(i));
  EXPECT_EQ(seen, (std::set<double>{-3, -2, -1, 0, 1, 2, 3}));
}

TEST(Rearrange, OneNumberARowWithManyBits) {
  const Pair p({OneHotEdit{19, -2, true, 7}});
  std::set<int> columns;
  bool negative = false;
  for (int r = 0; r < 8; ++r) {
    int held = 0;
    for (int c = 0; c < 12; ++c) {
      const double value = p.after.at(r * 12 + c);
      if (value == 0.0) continue;
      ++held;
      columns.insert(c);
      negative = negative || value < 0;
      EXPECT_GE(std::fabs(value), 0.25);
      EXPECT_LT(std::fabs(value), 0.5);
      EXPECT_EQ(value * 0x1p21, std::trunc(value * 0x1p21)) << "a multiple of 2^-(19 + 2)";
    }
    EXPECT_EQ(held, 1);
  }
  EXPECT_GT(columns.size(), 2u);
  EXPECT_TRUE(negative);
}

TEST(Rearrange, NumbersKeepSoManyBits) {
  const Pair near({RoundEdit{8, false}}), cut({RoundEdit{8, true}});
  for (int i = 0; i < 96; ++i) {
    const double x = near.before.at(i);
    const double unit = std::exp2(std::floor(std::log2(std::fabs(x))) - 7);
    EXPECT_LE(std::fabs(near.after.at(i) - x), unit / 2);
    EXPECT_LE(std::fabs(cut.after.at(i)), std::fabs(x));
    EXPECT_LT(std::fabs(cut.after.at(i) - x), unit);
    EXPECT_EQ(cut.after.at(i) / unit, std::trunc(cut.after.at(i) / unit));
  }
}

}  // namespace
}  // namespace assay
