#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "session_setting.h"

/// Session::perform_together: two calls of one worker at the same time.
namespace assay {
namespace {

using testing::FakeWorker;
using testing::pointer;
using testing::Setting;
using testing::twice;

/// The kernel for each of two calls made at the same time, one after the other.
FakeWorker::Kernel both(FakeWorker::Kernel first, FakeWorker::Kernel second) {
  return [first = std::move(first), second = std::move(second)](const Invocation& call) -> CallOutcome {
    EXPECT_TRUE(call.beside);
    Invocation other = call;
    other.args = call.beside.value_or(call.args);
    Returned returned = std::get<Returned>(first(call));
    returned.beside = std::get<Returned>(second(other)).value;
    return returned;
  };
}

CallOutcome nothing(const Invocation&) {
  return Returned{};
}

/// Whether output `facts` holds twice the values that draw `draw` gives the input.
bool doubled(Setting& s, const CallFacts& facts, std::uint64_t draw) {
  const auto x = s.values.of(buffers_of(s.contract, s.shape)[0], {draw, {}});
  std::vector<float> in(100), out(100);
  if (facts.outputs.at(1).size() != 400) return false;
  std::memcpy(in.data(), x->data(), 400);
  std::memcpy(out.data(), facts.outputs[1].data(), 400);
  return std::equal(in.begin(), in.end(), out.begin(), [](float i, float o) { return o == i + i; });
}

TEST(Together, TwoCallsTogetherHaveTheirOwnBuffersAndResults) {
  Invocation seen;
  int calls = 0;
  const auto worker = both(
      [&](const Invocation& call) -> CallOutcome {
        seen = call;
        ++calls;
        twice(call);
        return Returned{5, 1000};
      },
      [](const Invocation& call) -> CallOutcome {
        twice(call);
        return Returned{6, 0};
      });
  Setting s(worker);
  const auto facts = s.session->perform_together(s.shape, s.call(1), s.call(2));
  ASSERT_TRUE(facts);
  EXPECT_EQ(calls, 1);
  EXPECT_NE(seen.args[0], (*seen.beside)[0]);
  EXPECT_NE(seen.args[1], (*seen.beside)[1]);
  EXPECT_EQ((*seen.beside)[2], 100u);
  EXPECT_TRUE(doubled(s, (*facts)[0], 1));
  EXPECT_TRUE(doubled(s, (*facts)[1], 2));
  EXPECT_EQ(std::get<Returned>((*facts)[0].outcome).value, 5u);
  EXPECT_EQ(std::get<Returned>((*facts)[1].outcome).value, 6u);
  for (const CallFacts& each : *facts) {
    EXPECT_TRUE(each.damage.empty());
    EXPECT_TRUE(each.input_changes.empty());
    EXPECT_GT(each.guarded_bytes, 0);
  }
}

TEST(Together, OfTwoCallsTogetherEachOutputIsPoisonedAndRead) {
  Setting s(both(nothing, twice)), t(both(twice, nothing));
  const auto first = s.session->perform_together(s.shape, s.call(1), s.call(2));
  const auto second = t.session->perform_together(t.shape, t.call(1), t.call(2));
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(doubled(s, (*first)[0], 1));
  EXPECT_TRUE(doubled(s, (*first)[1], 2));
  EXPECT_TRUE(doubled(t, (*second)[0], 1));
  EXPECT_FALSE(doubled(t, (*second)[1], 2));
  EXPECT_TRUE((*first)[0].poison.at(1));
  EXPECT_TRUE((*second)[1].poison.at(1));
}

/// Whether a write of one of two calls beside its output shows among the facts of that call.
bool shows_write_before(int guilty, std::uint32_t key) {
  const auto spills = [](const Invocation& call) {
    // Whether the bytes before the tensor are red zone or unmapped depends on how it lies.
    if (call.args[1] % kPage != 0) *pointer<float>(call.args[1] - 4) = 1.0f;
    return twice(call);
  };
  Setting s(guilty == 0 ? both(spills, twice) : both(twice, spills), Lifetime::serving, key);
  const auto facts = s.session->perform_together(s.shape, s.call(key), s.call(key + 1));
  const auto& mine = facts->at(static_cast<std::size_t>(guilty)).damage;
  EXPECT_TRUE(facts->at(static_cast<std::size_t>(1 - guilty)).damage.empty());
  return std::any_of(mine.begin(), mine.end(), [](const Damage& damage) { return damage.where == "before y"; });
}

TEST(Together, OfTwoCallsTogetherTheOneThatWritesBesideATensorIsNamed) {
  for (const int guilty : {0, 1}) {
    bool caught = false;
    for (std::uint32_t key = 0; key < 16 && !caught; ++key) caught = shows_write_before(guilty, key);
    EXPECT_TRUE(caught) << guilty;
  }
}

TEST(Together, TwoCallsTogetherMayNotWriteWhereATensorWas) {
  std::uint64_t left = 0;
  const auto worker = both(
      [&](const Invocation& call) {
        if (left != 0) *pointer<float>(left) = 1.0f;
        return twice(call);
      },
      twice);
  Setting s([&](const Invocation& call) {
    if (call.beside) return worker(call);
    left = call.args[1];
    return twice(call);
  });
  CallPlan moved = s.call(1);
  moved.places = {kHome, 1};
  s.session->perform(s.shape, moved);
  const auto facts = s.session->perform_together(s.shape, s.call(2), s.call(3));
  ASSERT_TRUE(facts);
  ASSERT_EQ((*facts)[0].damage.size(), 1u);
  EXPECT_TRUE((*facts)[0].damage[0].stranger);
}

TEST(Together, WhatTwoCallsTogetherLeaveBehindIsAFactOfBoth) {
  Setting s(both(twice, twice));
  s.worker->now_.threads = 7;
  const auto facts = s.session->perform_together(s.shape, s.call(1), s.call(2));
  ASSERT_TRUE(facts);
  EXPECT_EQ((*facts)[0].residue.threads, 7);
  EXPECT_EQ((*facts)[1].residue.threads, 7);
}

TEST(Together, TheAnswerOfTheFirstOfTwoIsRemembered) {
  std::vector<float> found(100);
  Setting s([&](const Invocation& call) {
    std::memcpy(found.data(), pointer<float>(call.args[1]), 400);
    return call.beside ? both(twice, twice)(call) : twice(call);
  });
  const auto facts = s.session->perform_together(s.shape, s.call(1), s.call(2));
  CallPlan next = s.call(3);
  next.poison = Poison::other_answer;
  s.session->perform(s.shape, next);
  ASSERT_TRUE(facts);
  EXPECT_EQ(std::memcmp(found.data(), (*facts)[0].outputs[1].data(), 400), 0);
}

TEST(Together, WithoutRoomForTwoNothingIsCalled) {
  bool called = false;
  Setting s(
      [&](const Invocation& call) {
        called = true;
        return twice(call);
      },
      Lifetime::serving, 1, 399);
  EXPECT_FALSE(s.session->perform_together(s.shape, s.call(1), s.call(2)));
  EXPECT_FALSE(called);
}

TEST(Together, TheEndOfAWorkerIsAFactOfBothCalls) {
  Setting s([](const Invocation&) -> CallOutcome { return Ended{EndKind::signalled, 11, "SIGSEGV"}; });
  const auto facts = s.session->perform_together(s.shape, s.call(1), s.call(2));
  ASSERT_TRUE(facts);
  for (const CallFacts& each : *facts) EXPECT_TRUE(std::holds_alternative<Ended>(each.outcome));
  EXPECT_FALSE(s.session->alive());
}

}  // namespace
}  // namespace assay
