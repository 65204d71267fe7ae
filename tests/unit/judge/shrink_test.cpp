#include "judge/shrink.h"

#include <gtest/gtest.h>

#include "fake_worker.h"

namespace assay {
namespace {

using testing::doubling_contract;

struct Shrinks : ::testing::Test {
  Contract contract = doubling_contract();
  std::vector<ConcreteShape> shapes;
  int trials = 0;

  CallPlan call(std::int64_t n) {
    CallPlan plan;
    plan.axes = {{"N", n}};
    plan.values = {{1, {}}, {}};
    plan.places = {kHome, kHome};
    return plan;
  }
  FailingCase failing(std::vector<CallPlan> calls, std::size_t at) {
    FailingCase from;
    from.script.calls = std::move(calls);
    from.call = at;
    return from;
  }
  FailingCase small(FailingCase from, const std::function<bool(const Script&)>& fails, int most = 1000) {
    const Trial trial = [&](const Script& script) {
      ++trials;
      return fails(script) ? std::optional(Observation{}) : std::nullopt;
    };
    return shrink(contract, contract.entry, std::move(from), shapes, trial, [&] { return trials < most; });
  }
};

TEST_F(Shrinks, ToTheSmallestSizeThatStillFails) {
  const FailingCase least =
      small(failing({call(4000)}, 0), [](const Script& script) { return script.calls[0].axes.at("N") >= 37; });
  EXPECT_EQ(least.script.calls[0].axes.at("N"), 37);
  EXPECT_FALSE(shapes.empty());
}

TEST_F(Shrinks, ToTheCallsThatMatter) {
  const FailingCase least = small(failing({call(5), call(6), call(7), call(8)}, 2), [](const Script& script) {
    bool five = false;
    for (const CallPlan& each : script.calls) five = five || each.axes.at("N") == 5;
    return five;
  });
  ASSERT_EQ(least.script.calls.size(), 2u);
  EXPECT_EQ(least.script.calls[0].axes.at("N"), 5);
  EXPECT_EQ(least.call, 1u);
}

TEST_F(Shrinks, KeepsBothCallsOfARelation) {
  FailingCase from = failing({call(5), call(6), call(7)}, 2);
  from.script.relations.push_back({RelationKind::same_bits, 1, 2});
  const FailingCase least = small(std::move(from), [](const Script&) { return true; });
  ASSERT_EQ(least.script.calls.size(), 2u);
  EXPECT_EQ(least.script.relations[0].first, 0u);
  EXPECT_EQ(least.script.relations[0].second, 1u);
  EXPECT_EQ(least.script.calls[0].axes.at("N"), 6);
}

TEST_F(Shrinks, DoesNotLoseWhatFailsEveryOtherTime) {
  const FailingCase least = small(failing({call(4000)}, 0), [&](const Script&) { return trials % 2 == 0; });
  EXPECT_EQ(least.script.calls[0].axes.at("N"), 0);
}

TEST_F(Shrinks, ReturnsWhatFailedWhenTheTimeIsUp) {
  const FailingCase least = small(
      failing({call(4000)}, 0), [](const Script& script) { return script.calls[0].axes.at("N") >= 37; }, 4);
  EXPECT_GE(least.script.calls[0].axes.at("N"), 37);
}

}  // namespace
}  // namespace assay
