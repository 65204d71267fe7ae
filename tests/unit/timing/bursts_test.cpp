#include "timing/bursts.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "core/error.h"

namespace assay::timing {
namespace {

TEST(Bursts, LastLongAgainstTheNull) {
  // 20 x 24 us = 480 us; 200 x 1 us = 200 us: 480 us of 5 us calls are 96 calls.
  const auto bursts = std::get<Bursts>(choose_bursts({5e-6, 24e-6, 1e-6, 100000, 0.0}));
  EXPECT_EQ(bursts.lengths, (std::vector<std::int64_t>{24, 48, 72, 96}));
  // Noise decides: 200 x 10 us = 2 ms, 400 calls.
  EXPECT_EQ(std::get<Bursts>(choose_bursts({5e-6, 24e-6, 10e-6, 100000, 0.0})).longest(), 400);
  EXPECT_EQ(std::get<Bursts>(choose_bursts({5e-6, 24e-6, 1e-6, 100000, 0.01})).longest(), 2000);
}

TEST(Bursts, FitTheSlots) {
  EXPECT_EQ(std::get<Bursts>(choose_bursts({5e-6, 24e-6, 10e-6, 50, 0.0})).longest(), 48);
  EXPECT_TRUE(std::holds_alternative<Singles>(choose_bursts({5e-6, 24e-6, 1e-6, 3, 0.0})));
  EXPECT_TRUE(std::holds_alternative<Singles>(choose_bursts({0.1, 24e-6, 1e-6, 1000, 0.0})));
  EXPECT_THROW(choose_bursts({0.0, 24e-6, 1e-6, 1000, 0.0}), Error);
}

RC_GTEST_PROP(Bursts, NeverExceedTheSlots, ()) {
  const auto most = *rc::gen::inRange<std::int64_t>(0, 5000);
  const double call_s = *rc::gen::inRange(1, 100000) * 1e-8;
  const BurstPlan plan = choose_bursts({call_s, 20e-6, 2e-6, most, 0.0});
  if (const auto* bursts = std::get_if<Bursts>(&plan)) {
    RC_ASSERT(bursts->longest() <= most);
    RC_ASSERT(bursts->lengths.size() == 4u);
    for (std::size_t i = 0; i < 4; ++i)
      RC_ASSERT(bursts->lengths[i] == static_cast<std::int64_t>(i + 1) * bursts->lengths[0]);
  }
}

TEST(Slots, HalfAreDecoys) {
  EXPECT_EQ(calls_that_fit(1000, 100), 5);
  EXPECT_EQ(calls_that_fit(199, 100), 0);
  Random random(3);
  std::set<std::vector<std::int64_t>> orders;
  std::vector<int> called(20, 0);
  for (int i = 0; i < 2000; ++i) {
    const auto slots = draw_called(random, 10);
    ASSERT_EQ(std::set(slots.begin(), slots.end()).size(), 10u);
    for (const std::int64_t slot : slots) ++called.at(static_cast<std::size_t>(slot));
    orders.insert(slots);
  }
  for (const int count : called) EXPECT_NEAR(count, 1000, 115);  // five standard deviations
  EXPECT_EQ(orders.size(), 2000u);
}

TEST(Cold, RotatesThroughFiveCaches) {
  EXPECT_EQ(cold_sets(100, 1), 501);
  EXPECT_EQ(cold_sets(100, 100), 6);
  EXPECT_EQ(cold_sets(100, 150), 5);  // ceil(500 / 150) + 1
  EXPECT_EQ(cold_sets(100, 499), 3);
  EXPECT_EQ(cold_sets(100, 500), 1);
  EXPECT_THROW(cold_sets(0, 500), Error);
}

TEST(Hot, SlotsFitTheCacheTogether) {
  EXPECT_EQ(std::get<HotBursts>(choose_hot(1000, 100)).calls, 5);
  EXPECT_EQ(std::get<HotBursts>(choose_hot(400, 100)).calls, 2);
  EXPECT_TRUE(std::holds_alternative<HotSingles>(choose_hot(399, 100)));
  EXPECT_TRUE(std::holds_alternative<HotSingles>(choose_hot(100, 100)));
  EXPECT_TRUE(std::holds_alternative<HotIsCold>(choose_hot(99, 100)));
}

TEST(Cost, TakesOffTheNullAndNothingElse) {
  EXPECT_NEAR(std::get<CallCost>(burst_cost(1024e-6, 24e-6, 100)).seconds, 10e-6, 1e-15);
  const auto none = std::get<NotAboveNull>(burst_cost(20e-6, 24e-6, 100));
  EXPECT_EQ(none.burst_s, 20e-6);
  EXPECT_TRUE(std::holds_alternative<NotAboveNull>(burst_cost(24e-6, 24e-6, 100)));
  EXPECT_THROW(burst_cost(1.0, 0.1, 0), Error);
}

TEST(CallBound, IsBelowOnePointThreeEmptyCalls) {
  EXPECT_EQ(std::get<CallBound>(call_boundness(12e-6, 10e-6)).share, 10.0 / 12.0);
  EXPECT_TRUE(std::holds_alternative<NotCallBound>(call_boundness(13.1e-6, 10e-6)));
  EXPECT_TRUE(std::holds_alternative<NotCallBound>(call_boundness(1e-6, 0.0)));
  EXPECT_EQ(std::get<CallBound>(call_boundness(5e-6, 10e-6)).share, 1.0);
}

}  // namespace
}  // namespace assay::timing
