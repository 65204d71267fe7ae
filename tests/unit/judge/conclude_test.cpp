#include "judge/speed/conclude.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "fake_worker.h"
#include "judge/speed/turns.h"

namespace assay {
namespace {

using timing::Purpose;
using timing::Who;

/// What a subject's burst of k calls takes.
struct Behaviour {
  double call_s = 1e-4;
  double per_burst_s = 0.0;  ///< once, however many calls
  double single_s = 0.0;     ///< of a single call beyond the others; 0: none
  double told = 1.0;         ///< share of the time that its own clock tells
  double processors = 1.0;
  double stop_s = 0.0;  ///< what it takes to stop its threads
};

constexpr double kNull = 8e-5;

TurnTime turn(Purpose purpose, Who who, int pair, std::int64_t calls, const Behaviour& b) {
  TurnTime t;
  t.purpose = purpose;
  t.who = who;
  t.pair = pair;
  t.calls = calls;
  const double own = static_cast<double>(calls) * b.call_s + b.per_burst_s + (calls == 1 ? b.single_s : 0.0);
  t.wall_s = kNull + (who == Who::null ? 0.0 : own);
  t.replied_s = t.wall_s;
  t.wall_s += b.stop_s;
  t.told_s = 1e-6 + (who == Who::null ? 0.0 : b.told * own);
  t.cpu_s = b.processors * t.wall_s;
  return t;
}

/// A pair of processes; nothing is exactly as before, by a hair that differs from pair to pair.
ProcessPair pair_of(const Behaviour& baseline, Behaviour candidate, double hair) {
  ProcessPair process;
  ShapeTimes times;
  candidate.call_s *= 1.0 + hair;
  int number = 0;
  const auto round = [&](Purpose purpose, std::int64_t calls) {
    ++number;
    times.turns.push_back(turn(purpose, Who::null, number, calls, {}));
    times.turns.push_back(turn(purpose, Who::baseline, number, calls, baseline));
    times.turns.push_back(turn(purpose, Who::candidate, number, calls, candidate));
  };
  for (int i = 0; i < 5; ++i) round(Purpose::pair, 24);
  for (const int calls : {6, 12, 18}) round(Purpose::ladder, calls);
  for (int i = 0; i < 3; ++i) round(Purpose::single, 1);
  process.shapes = {times};
  const double alone = kNull + 24 * 1e-4;
  process.alone = {0.0, alone, alone};
  return process;
}

Concluded concluded(const Behaviour& candidate, const Behaviour& baseline = {}, double control_hair = 1e-4,
                    std::int64_t threads = 1) {
  Contract contract = testing::doubling_contract();
  contract.concurrency.threads = threads;
  const ConcreteShape shape = std::get<ConcreteShape>(concretise(contract, {{"N", 100}}));
  ShapeSchedule schedule;
  schedule.timed.shape = &shape;
  schedule.method = "bursts";
  schedule.lengths = {6, 12, 18, 24};
  std::vector<ProcessPair> pairs, control;
  for (int i = 0; i < 7; ++i) pairs.push_back(pair_of(baseline, candidate, 1e-4 * i));
  for (int i = 0; i < 6; ++i) control.push_back(pair_of({}, {}, control_hair * (i - 3)));
  Random random(1);
  SpeedRules rules;
  rules.empty_s = 5e-5;
  return conclude(contract, {schedule}, 0, pairs, control, {Cost{}}, rules, random);
}

std::vector<std::string> threats(const Concluded& c) {
  std::vector<std::string> all;
  for (const TimedSuspicion& s : c.suspicions) all.push_back(s.suspicion.threat);
  return all;
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

TEST(Conclude, AnHonestKernelIsNotSuspected) {
  const Concluded c = concluded({.call_s = 5e-5});
  EXPECT_TRUE(c.section.fit);
  EXPECT_EQ(threats(c), std::vector<std::string>{});
  EXPECT_EQ(c.section.mix->effect, "faster");
  EXPECT_NEAR(c.section.mix->speedup->estimate, 2.0, 0.01);
  EXPECT_NEAR(c.section.shapes[0].candidate_told_s, 5e-5, 1e-6);
}

TEST(Conclude, TheCostHoldsWhatIsPaidOncePerBurst) {
  const Concluded c = concluded({.call_s = 5e-5, .per_burst_s = 24 * 5e-5});
  EXPECT_NEAR(c.section.mix->speedup->estimate, 1.0, 0.01);
}

TEST(Conclude, APartThatIsPaidOncePerBurstBendsTheSlope) {
  EXPECT_TRUE(has(threats(concluded({.call_s = 5e-5, .per_burst_s = 3e-3})), "E23"));
}

TEST(Conclude, CheapCallsInBurstsAreBatchedOrSkipped) {
  EXPECT_TRUE(has(threats(concluded({.call_s = 2e-5, .single_s = 8e-5})), "A8"));
}

TEST(Conclude, AShortCallOfALargeLibraryMayStartCold) {
  EXPECT_FALSE(has(threats(concluded({.call_s = 5e-7, .single_s = 3e-5}, {.call_s = 1e-6})), "A8"));
  EXPECT_FALSE(has(threats(concluded({.call_s = 5e-6, .per_burst_s = 3e-5})), "E23"));
}

TEST(Conclude, WhatTheBaselineLosesInSingleCallsIsHonest) {
  EXPECT_FALSE(has(threats(concluded({.call_s = 2e-5, .single_s = 8e-5}, {.single_s = 8e-5})), "A8"));
}

TEST(Conclude, AClockThatTellsHalfIsSeen) {
  EXPECT_TRUE(has(threats(concluded({.told = 0.5})), "E1"));
}

TEST(Conclude, StoppingAPoolOfThreadsHidesNothing) {
  const Concluded slow_to_stop = concluded({.call_s = 5e-5, .stop_s = 1e-3});
  EXPECT_EQ(threats(slow_to_stop), std::vector<std::string>{});
  EXPECT_LT(slow_to_stop.section.mix->speedup->estimate, 1.2) << "its cost is its own all the same";
  EXPECT_FALSE(has(threats(concluded({.told = 0.85}, {}, 1e-4, 8)), "E1"));
  EXPECT_TRUE(has(threats(concluded({.told = 0.5}, {}, 1e-4, 8)), "E1"));
  EXPECT_TRUE(has(threats(concluded({.told = 0.85}, {}, 1e-4, 1)), "E1"));
}

TEST(Conclude, AClockThatTellsMoreThanPassedIsSeen) {
  EXPECT_TRUE(has(threats(concluded({.told = 1.5})), "E7"));
}

TEST(Conclude, ASecondProcessorIsSeen) {
  EXPECT_TRUE(has(threats(concluded({.call_s = 5e-5, .processors = 1.9})), "F9"));
}

TEST(Conclude, ABaselineThatSuffersFromTheCandidateIsSeen) {
  EXPECT_TRUE(has(threats(concluded({}, {.call_s = 1.5e-4})), "E14"));
}

TEST(Conclude, ADisturbedNullSpoilsNoPair) {
  std::vector<ProcessPair> pairs, control;
  for (int i = 0; i < 7; ++i) pairs.push_back(pair_of({}, {.call_s = 5e-5}, 0.0));
  for (TurnTime& t : pairs[2].shapes[0].turns) {
    if (t.who == Who::null) t.wall_s = 1.0;  // the host had other plans
  }
  EXPECT_EQ(costs_of(pairs[2].shapes[0], Regime::cold)->candidate_s.front(), kLeastCost);
  const std::array<std::vector<ProcessPair>*, 2> trials{&pairs, &control};
  pool_nulls(trials);
  EXPECT_NEAR(costs_of(pairs[2].shapes[0], Regime::cold)->candidate_s.front(), 5e-5, 1e-12);
}

TEST(Conclude, AWildControlIsUnfit) {
  const Concluded c = concluded({.call_s = 5e-5}, {}, 0.05);
  EXPECT_FALSE(c.section.fit);
  EXPECT_LT(c.section.control->low, 0.95);
}

}  // namespace
}  // namespace assay
