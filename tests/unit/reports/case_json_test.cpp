#include "reports/case_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"

namespace assay::reports {
namespace {

Case telling() {
  Case made;
  made.lifetime = Lifetime::reused_buffers;
  made.call = 1;
  made.script.check = "structure";
  made.script.story = "x is sorted";
  made.script.recycles = true;
  made.script.relations = {{RelationKind::same_bits, 0, 1}};
  CallPlan call;
  call.axes = {{"H", 4}, {"T", 7}};
  call.values = {{0xfedcba9876543210u, {ScaleEdit{-3}, SortEdit{true}, OneRunEdit{0.25}}}, {}};
  call.places = {0, 2};
  call.params = {1};
  call.shifts = {-1, 3};
  call.poison = Poison::small_finite;
  call.typical = false;
  call.repeats = 5;
  call.stress = Stress::cramped;
  made.script.calls = {call, call};
  made.script.calls[1].values[1].edits = {SprinkleEdit{{std::numeric_limits<double>::infinity(), -0.0, 1e-300}, 0.1, 9},
                                          ScaleBlocksEdit{1, 2, -3, 4, 5}, ClampEdit{-1, 1}};
  return made;
}

TEST(CaseJson, ComesBackAsItWas) {
  const Case made = telling();
  const Case back = case_from_json(nlohmann::json::parse(case_to_json(made).dump()));
  EXPECT_EQ(case_to_json(back), case_to_json(made));
  EXPECT_EQ(back.script.calls[1].values, made.script.calls[1].values);
  EXPECT_EQ(back.script.calls[0].values[0].draw, 0xfedcba9876543210u);
  EXPECT_EQ(back.script.calls[0].axes, made.script.calls[0].axes);
  EXPECT_EQ(back.lifetime, Lifetime::reused_buffers);
  EXPECT_EQ(back.script.calls[0].stress, Stress::cramped);
  EXPECT_TRUE(back.script.recycles);
}

TEST(CaseJson, NoEditIsForgotten) {
  Case made = telling();
  made.script.calls[0].values[0].edits = {ScaleEdit{1},
                                          NegateEdit{},
                                          SetElementEdit{0.5, 2},
                                          ReshuffleEdit{3},
                                          NudgeEdit{4},
                                          ScaleBlocksEdit{},
                                          ScaleTailEdit{5, 6},
                                          ZeroBlocksEdit{},
                                          SprinkleEdit{{1}, 0, 7},
                                          SignEdit{true},
                                          ClampEdit{1, 2},
                                          SortEdit{true},
                                          TieEdit{3, 8},
                                          CancelEdit{},
                                          DiagonalEdit{},
                                          LowRankEdit{2, 9},
                                          PermuteEdit{10},
                                          OneRunEdit{0.75},
                                          RoundEdit{8, true},
                                          IntegersEdit{-3, 3, 11},
                                          OneHotEdit{19, -1, true, 12},
                                          ZeroTailEdit{0.125},
                                          FlushEdit{}};
  ASSERT_EQ(made.script.calls[0].values[0].edits.size(), std::variant_size_v<ValueEdit>);
  const Case back = case_from_json(case_to_json(made));
  EXPECT_EQ(back.script.calls[0].values[0].edits, made.script.calls[0].values[0].edits);
}

TEST(CaseJson, RefusesWhatAnybodyMayHaveEdited) {
  const auto refused = [](void (*edit)(nlohmann::json&)) {
    nlohmann::json json = case_to_json(telling());
    edit(json);
    try {
      case_from_json(json);
    } catch (const Error& error) {
      return error.code() == Exit::kUsage;
    }
    return false;
  };
  EXPECT_TRUE(refused([](auto& j) { j["call"] = "2"; }));
  EXPECT_TRUE(refused([](auto& j) { j["script"].erase("calls"); }));
  EXPECT_TRUE(refused([](auto& j) { j["script"]["calls"][0]["poison"] = 17; }));
  EXPECT_TRUE(refused([](auto& j) { j["script"]["calls"][0]["repeats"] = -1; }));
  EXPECT_TRUE(refused([](auto& j) { j["script"]["calls"][0]["axes"] = nullptr; }));
  EXPECT_TRUE(refused([](auto& j) { j["script"]["calls"][0]["values"][0]["draw"] = "xyz"; }));
  EXPECT_TRUE(refused([](auto& j) { j["script"]["calls"][0]["values"][0]["edits"][0]["kind"] = "melt"; }));
  EXPECT_TRUE(refused([](auto& j) { j["script"]["relations"][0]["second"] = "5"; }));
  EXPECT_TRUE(refused([](auto& j) { j = 5; }));
}

}  // namespace
}  // namespace assay::reports
