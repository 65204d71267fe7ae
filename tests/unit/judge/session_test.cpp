#include "judge/session.h"

#include <gtest/gtest.h>

#include <cstring>

#include "session_setting.h"

namespace assay {
namespace {

using testing::pointer;
using testing::Setting;
using testing::twice;

TEST(Session, AnHonestCallLeavesNothingToSee) {
  Setting s(twice);
  const CallFacts facts = s.session->perform(s.shape, s.call(1));
  EXPECT_TRUE(facts.damage.empty());
  EXPECT_TRUE(facts.input_changes.empty());
  ASSERT_EQ(facts.outputs[1].size(), 400u);
  const auto x = s.values.of(buffers_of(s.contract, s.shape)[0], {1, {}});
  float in = 0, out = 0;
  std::memcpy(&in, x->data() + 396, 4);
  std::memcpy(&out, facts.outputs[1].data() + 396, 4);
  EXPECT_EQ(out, in + in);
}

TEST(Session, SameCallsSameAddressesOtherValues) {
  std::vector<std::pair<std::uint64_t, float>> seen;
  Setting s([&](const Invocation& call) {
    seen.emplace_back(call.args[0], *pointer<float>(call.args[0]));
    return twice(call);
  });
  s.session->perform(s.shape, s.call(1));
  s.session->perform(s.shape, s.call(2));
  EXPECT_EQ(seen[0].first, seen[1].first);
  EXPECT_NE(seen[0].second, seen[1].second);
}

TEST(Session, AMovedTensorHasAnotherAddressAndTheSameValues) {
  std::vector<Invocation> seen;
  std::vector<float> first;
  Setting s([&](const Invocation& call) {
    seen.push_back(call);
    first.push_back(*pointer<float>(call.args[0]));
    return twice(call);
  });
  CallPlan call = s.call(1);
  s.session->perform(s.shape, call);
  call.places[0] = 1;
  s.session->perform(s.shape, call);
  EXPECT_NE(seen[0].args[0], seen[1].args[0]);
  EXPECT_EQ(seen[0].args[0] % 4096, seen[1].args[0] % 4096);
  EXPECT_EQ(seen[0].args[1], seen[1].args[1]);
  EXPECT_EQ(first[0], first[1]);
}

TEST(Session, APlaceCanPassFromOneTensorToAnother) {
  std::vector<Invocation> seen;
  Setting s([&](const Invocation& call) {
    seen.push_back(call);
    return twice(call);
  });
  CallPlan call = s.call(1);
  call.places = {1, 2};
  s.session->perform(s.shape, call);
  call.places = {2, 1};
  const CallFacts facts = s.session->perform(s.shape, call);
  EXPECT_EQ(seen[0].args[0], seen[1].args[1]);
  EXPECT_EQ(seen[0].args[1], seen[1].args[0]);
  EXPECT_TRUE(facts.damage.empty());
}

TEST(Session, OfScriptsThatRecycleOtherSizesStartAtTheSameAddress) {
  std::vector<std::uint64_t> seen;
  Setting s([&](const Invocation& call) {
    seen.push_back(call.args[0]);
    return twice(call);
  });
  const ConcreteShape smaller = std::get<ConcreteShape>(concretise(s.contract, {{"N", 37}}));
  for (int turn = 0; turn < 8; ++turn) {
    s.session->begin_script(true);
    CallPlan call = s.call(1);
    call.places = {1, 2};
    s.session->perform(s.shape, call);
    call.axes = smaller.axes;
    s.session->perform(smaller, call);
    s.session->end_script();
    ASSERT_EQ(seen[seen.size() - 2], seen.back()) << turn;
  }
}

TEST(Session, WritesBesideATensorShow) {
  for (const std::int64_t at : {std::int64_t{-1}, std::int64_t{100}}) {
    bool caught = false;
    // Whether the byte beside the tensor is red zone or unmapped depends on how it lies: only try where it is mapped.
    for (std::uint32_t key = 0; key < 16 && !caught; ++key) {
      Setting s(
          [&](const Invocation& call) {
            const std::uint64_t target = call.args[1] + static_cast<std::uint64_t>(at * 4);
            const bool mapped = target / kPage == call.args[1] / kPage && (at < 0 || target % kPage != 0);
            if (mapped) *pointer<float>(target) = 1.0f;
            return twice(call);
          },
          Lifetime::serving, key);
      caught = !s.session->perform(s.shape, s.call(key)).damage.empty();
    }
    EXPECT_TRUE(caught) << at;
  }
}

TEST(Session, WritesToTheUncalledSlotShow) {
  std::vector<std::uint64_t> outputs;
  Setting s([&](const Invocation& call) {
    for (const std::uint64_t other : outputs) {
      if (other != call.args[1]) *pointer<float>(other) = 3.0f;
    }
    outputs.push_back(call.args[1]);
    return twice(call);
  });
  bool caught = false;
  for (std::uint64_t i = 0; i < 32 && !caught; ++i) {
    s.session->begin_script();
    for (const Damage& damage : s.session->perform(s.shape, s.call(i)).damage) caught = caught || damage.stranger;
    s.session->end_script();
  }
  EXPECT_TRUE(caught);
}

TEST(Session, FixedAddressesStayFixed) {
  std::vector<std::uint64_t> seen;
  Setting s(
      [&](const Invocation& call) {
        seen.push_back(call.args[0]);
        return twice(call);
      },
      Lifetime::fixed_address);
  for (std::uint64_t i = 0; i < 20; ++i) {
    s.session->begin_script();
    s.session->perform(s.shape, s.call(i));
    s.session->end_script();
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), seen[0]), 20);
}

TEST(Session, TheEndOfAWorkerIsAFact) {
  Setting s([](const Invocation&) -> CallOutcome { return Ended{EndKind::signalled, 11, "SIGSEGV"}; });
  const CallFacts facts = s.session->perform(s.shape, s.call(1));
  EXPECT_TRUE(std::holds_alternative<Ended>(facts.outcome));
  EXPECT_FALSE(s.session->alive());
}

}  // namespace
}  // namespace assay
