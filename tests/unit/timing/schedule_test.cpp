#include "timing/schedule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"

namespace assay::timing {
namespace {

const std::vector<std::int64_t> kLengths{10, 20, 30, 40};

bool is_null(const Turn& turn) {
  return turn.who == Who::null;
}

RC_GTEST_PROP(Schedule, PairsAreAdjacentAndCountsAreKept, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Counts counts{*rc::gen::inRange(1, 30), *rc::gen::inRange(0, 5), *rc::gen::inRange(0, 5)};
  const auto rounds = draw_schedule(random, kLengths, counts, Ordering::coin);
  std::map<std::pair<Purpose, std::int64_t>, int> seen;
  for (const Round& round : rounds) {
    RC_ASSERT(round.turns.size() == 3u);
    RC_ASSERT(std::count_if(round.turns.begin(), round.turns.end(), is_null) == 1);
    RC_ASSERT(!is_null(round.turns[1]));  // never between the two sides
    std::set<Who> sides;
    for (const Turn& turn : round.turns) {
      RC_ASSERT(turn.calls == round.turns[0].calls);
      sides.insert(turn.who);
    }
    RC_ASSERT(sides.size() == 3u);
    ++seen[{round.purpose, round.turns[0].calls}];
  }
  RC_ASSERT((seen[{Purpose::pair, 40}]) == counts.pairs);
  RC_ASSERT((seen[{Purpose::single, 1}]) == counts.single_rounds);
  for (const std::int64_t length : {10, 20, 30}) RC_ASSERT((seen[{Purpose::ladder, length}]) == counts.ladder_rounds);
  RC_ASSERT(rounds.size() == static_cast<std::size_t>(counts.pairs + counts.single_rounds + 3 * counts.ladder_rounds));
}

TEST(Schedule, TheCoinIsFairAndFollowsTheSeed) {
  Random random(1), again(1), other(2);
  const Counts counts{4000, 0, 0};
  const auto rounds = draw_schedule(random, {1}, counts, Ordering::coin);
  const auto first_side = [](const Round& r) { return is_null(r.turns[0]) ? r.turns[1].who : r.turns[0].who; };
  const auto baseline_first =
      std::count_if(rounds.begin(), rounds.end(), [&](const Round& r) { return first_side(r) == Who::baseline; });
  EXPECT_NEAR(static_cast<double>(baseline_first), 2000.0, 160.0);  // five standard deviations
  const auto null_first =
      std::count_if(rounds.begin(), rounds.end(), [](const Round& r) { return is_null(r.turns[0]); });
  EXPECT_NEAR(static_cast<double>(null_first), 2000.0, 160.0);
  const auto order = [&](Random& r) {
    std::vector<Who> sides;
    for (const Round& round : draw_schedule(r, {1}, {50, 0, 0}, Ordering::coin)) sides.push_back(first_side(round));
    return sides;
  };
  Random one(9), same(9), different(10);
  EXPECT_EQ(order(one), order(same));
  EXPECT_NE(order(one), order(different));
}

TEST(Schedule, RoundsOfAllPurposesAreMixed) {
  Random random(4);
  const auto rounds = draw_schedule(random, kLengths, {40, 10, 10}, Ordering::coin);
  const auto half = rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
  const auto pairs = std::count_if(rounds.begin(), half, [](const Round& r) { return r.purpose == Purpose::pair; });
  EXPECT_GT(pairs, 10);
  EXPECT_LT(pairs, 30);
}

TEST(Schedule, AbbaBlocksHoldTwoMirroredPairs) {
  Random random(5);
  const auto rounds = draw_schedule(random, {8}, {7, 0, 0}, Ordering::abba);
  ASSERT_EQ(rounds.size(), 4u);
  std::set<Who> firsts;
  for (const Round& round : rounds) {
    std::vector<Turn> sides;
    for (const Turn& turn : round.turns) {
      if (!is_null(turn)) sides.push_back(turn);
    }
    ASSERT_EQ(sides.size(), 4u);
    EXPECT_EQ(sides[0].who, sides[3].who);
    EXPECT_EQ(sides[1].who, sides[2].who);
    EXPECT_NE(sides[0].who, sides[1].who);
    EXPECT_EQ(sides[1].pair, 0);
    EXPECT_EQ(sides[2].pair, 1);
  }
  EXPECT_THROW(draw_schedule(random, {}, {1, 0, 0}, Ordering::coin), Error);
}

Budget cheap() {
  Budget budget;
  budget.seconds = 10.0;
  budget.process_start_s = 0.05;
  budget.call_s = 100e-6;
  budget.judge_per_call_s = 100e-6;
  budget.judge_per_turn_s = 200e-6;
  return budget;
}

TEST(Counts, FillTheBudgetAndNoMore) {
  const auto plan = std::get<FixedCounts>(choose_counts(cheap(), kLengths));
  EXPECT_EQ(plan.processes, 6);
  EXPECT_GT(plan.counts.pairs, 20);
  EXPECT_LE(plan.expected_s, 10.0);
  EXPECT_GE(plan.counts.ladder_rounds, 3);
  Budget twice = cheap();
  twice.seconds = 20.0;
  EXPECT_GT(std::get<FixedCounts>(choose_counts(twice, kLengths)).counts.pairs, plan.counts.pairs);
  twice.seconds = 1e6;
  EXPECT_EQ(std::get<FixedCounts>(choose_counts(twice, kLengths)).counts.pairs, kMostPairs);
}

TEST(Counts, SayWhatTheyNeed) {
  Budget budget = cheap();
  budget.call_s = 1.0;
  const double needed = std::get<OverBudget>(choose_counts(budget, {1})).needed_s;
  EXPECT_GT(needed, 6 * 2 * kFewestPairs * 1.0);
  budget.seconds = needed;
  EXPECT_EQ(std::get<FixedCounts>(choose_counts(budget, {1})).counts.pairs, kFewestPairs);
}

}  // namespace
}  // namespace assay::timing
