#include "roi/gate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "roi/plot.h"
#include "roi/presets.h"

namespace assay::roi {
namespace {

GateRequest request_of(double share, std::optional<double> floor_ratio = std::nullopt, double cost = 299.9872) {
  GateRequest request;
  request.inputs.kernels = {single_kernel("k", {share, share, share}, {1, 1, 1})};
  request.inputs.kernels[0].shapes[0].floor_ratio = floor_ratio;
  request.inputs.money.accelerator_usd_per_hour = 6.2496;
  request.inputs.money.hours_per_month = 720;
  request.inputs.money.horizon_months = 1;
  request.inputs.money.campaign_cost_usd = cost;
  return request;
}

bool has(const std::vector<std::string>& lines, std::string_view part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

TEST(GateBefore, FundsWhatPaysAtItsCeiling) {
  const RoiResult result = gate_before(request_of(0.25));
  EXPECT_EQ(result.gate, RoiGate::fund);
  EXPECT_NEAR(result.saved_fraction.value, 0.25, 1e-12);
  EXPECT_TRUE(has(result.reasons, "nets at least $824.94 over 1 months"));
}

TEST(GateBefore, RefusesAShareThatCannotPay) {
  const RoiResult result = gate_before(request_of(0.05));
  EXPECT_EQ(result.gate, RoiGate::do_not_search);
  EXPECT_TRUE(has(result.reasons, "share too small for the cost: 6.7 % of the workload must be saved"));
}

TEST(GateBefore, RefusesAKernelNearItsRoofline) {
  const RoiResult result = gate_before(request_of(0.26, 0.88, 1.0));
  EXPECT_EQ(result.gate, RoiGate::do_not_search) << "26 % of the time at 88 % of its roofline returned -0.064 %";
  EXPECT_TRUE(has(result.reasons, "already near the roofline: 88.0 % of it"));
}

TEST(GateBefore, RefusesWhenTheRooflineAllowsTooLittle) {
  const RoiResult result = gate_before(request_of(0.25, 0.80));
  EXPECT_EQ(result.gate, RoiGate::do_not_search);
  EXPECT_TRUE(has(result.reasons, "break-even needs 1.3636x, the roofline allows 1.2500x")) << result.reasons.front();
  EXPECT_TRUE(has(result.reasons, "accelerator hours"));
}

TEST(GateBefore, OnlyWhatIsAttainableCounts) {
  GateRequest request = request_of(0.25);
  request.inputs.money.attainable_share = 0.2;
  const RoiResult result = gate_before(request);
  EXPECT_NEAR(result.saved_fraction.value, 0.05, 1e-12);
  EXPECT_EQ(result.gate, RoiGate::do_not_search);
  EXPECT_TRUE(has(result.reasons, "the attainable share allows 1.2500x"));
}

TEST(GateBefore, TheLowerEndOfTheShareDecides) {
  GateRequest request = request_of(0.08);
  EXPECT_EQ(gate_before(request).gate, RoiGate::fund);
  request.inputs.kernels[0].share = {0.06, 0.08, 0.10};
  EXPECT_EQ(gate_before(request).gate, RoiGate::do_not_search);
}

TEST(GateBefore, BoundariesOfThePrecedents) {
  EXPECT_EQ(gate_before(request_of(0.02, std::nullopt, 1)).gate, RoiGate::fund);
  EXPECT_EQ(gate_before(request_of(0.0199, std::nullopt, 1)).gate, RoiGate::do_not_search);
  EXPECT_EQ(gate_before(request_of(0.25, 0.8499, 1)).gate, RoiGate::fund);
  EXPECT_EQ(gate_before(request_of(0.25, 0.8501, 1)).gate, RoiGate::do_not_search);
}

TEST(GateBefore, ACostThatIsExactlyEarnedBackIsNotFunded) {
  EXPECT_EQ(gate_before(request_of(0.25, std::nullopt, 0.25 * 6.2496 * 720)).gate, RoiGate::do_not_search);
}

TEST(GateBefore, WithoutAPriceItCanNotTell) {
  GateRequest request = request_of(0.25);
  request.inputs.money.accelerator_usd_per_hour.reset();
  const RoiResult result = gate_before(request);
  EXPECT_EQ(result.gate, RoiGate::none);
  EXPECT_TRUE(has(result.reasons, "can't tell whether it pays: no price"));
}

TEST(GateBefore, WhatCanNotBeSwappedIsNotSearchedFor) {
  GateRequest request = request_of(0.25);
  request.inputs.money.replaceable = false;
  EXPECT_EQ(gate_before(request).gate, RoiGate::do_not_search);
}

TEST(GateBefore, NoSecondCampaignWithoutAMeasuredReturn) {
  GateRequest request = request_of(0.25);
  request.previous = PreviousCampaign{"last.json", std::nullopt};
  EXPECT_TRUE(has(gate_before(request).reasons, "was not measured (last.json)"));
  request.previous->saved_fraction = Quantiles{-0.001, 0.01, 0.02};
  EXPECT_EQ(gate_before(request).gate, RoiGate::do_not_search);
  request.previous->saved_fraction = Quantiles{0.001, 0.01, 0.02};
  EXPECT_EQ(gate_before(request).gate, RoiGate::fund);
}

TEST(GateBefore, NamesTheKernelsThatWouldPay) {
  GateRequest request = request_of(0.01);
  request.others = {{"small", 0.005, {}}, {"near its floor", 0.5, 0.99}, {"gemm", 0.4, {}}, {"attention", 0.2, 0.5}};
  const RoiResult result = gate_before(request);
  ASSERT_EQ(result.better.size(), 2u);
  EXPECT_EQ(result.better[0], "gemm: 40.0 % of the time, at most 40.0 % to be gained");
  EXPECT_EQ(result.better[1].substr(0, 9), "attention");
}

LoopState loop_of(std::vector<Round> rounds, double cost) {
  LoopState state;
  state.share = 0.25;
  state.terms.usd_per_hour = 6.2496;
  state.terms.horizon_months = 1;
  state.rounds = std::move(rounds);
  state.next_cost_usd = cost;
  return state;
}

TEST(NextRound, GoesOnWhileItPays) {
  const NextRound next = next_round(loop_of({{1.25}, {1.5}, {1.75}}, 10));
  ASSERT_TRUE(std::holds_alternative<GoOn>(next));
  EXPECT_NEAR(std::get<GoOn>(next).value_usd, (1 - 1 / 1.75) / 3 * 0.25 * 4499.712, 1e-9);
}

TEST(NextRound, StopsWhenTheLastRoundsGainedNothing) {
  EXPECT_TRUE(std::holds_alternative<Stop>(next_round(loop_of({{2}, {2}, {2}, {2}}, 0.0))));
  EXPECT_TRUE(std::holds_alternative<Stop>(next_round(loop_of({{1.25}, {1.5}, {1.75}}, 1e4))));
}

TEST(NextRound, StopsAtTheRoofline) {
  LoopState state = loop_of({{1.5}, {1.9}}, 0.01);
  state.floor_ratio = 0.5;
  const NextRound next = next_round(state);
  ASSERT_TRUE(std::holds_alternative<Stop>(next));
  EXPECT_EQ(std::get<Stop>(next).reason, "at 95.0 % of the roofline: nothing is left to find");
  state.rounds.back().speedup = 1.8;
  EXPECT_TRUE(std::holds_alternative<GoOn>(next_round(state)));
}

TEST(Presets, AllOfThemAndTheNearestName) {
  EXPECT_EQ(presets().size(), 9u);
  try {
    find_preset("apex-integrat");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'apex-integrate'?"), std::string::npos);
    EXPECT_EQ(error.code(), Exit::kUsage);
  }
}

TEST(Presets, ApexIsStrictlyAbove) {
  const Preset& apex = find_preset("apex-integrate");
  EXPECT_EQ(their_acceptance(apex, 1.05), false);
  EXPECT_EQ(their_acceptance(apex, 1.0500001), true);
  EXPECT_EQ(our_acceptance(apex, 1.05, 1.2), Acceptance::undecided);
  EXPECT_EQ(our_acceptance(apex, 1.0500001, 1.2), Acceptance::accepted);
  EXPECT_EQ(our_acceptance(apex, 1.0, 1.05), Acceptance::refused);
}

TEST(Presets, BoundariesOfTheOthers) {
  EXPECT_EQ(their_acceptance(find_preset("autokernel-keep"), 1.01), true);
  EXPECT_EQ(their_acceptance(find_preset("autokernel-keep"), 1.0099), false);
  EXPECT_EQ(their_acceptance(find_preset("cuda-agent"), 1.05), false) << "5 % faster is 0.95x the time";
  EXPECT_EQ(their_acceptance(find_preset("cuda-agent"), 1.0 / 0.95), true);
  EXPECT_EQ(our_acceptance(find_preset("cuda-agent"), 1.0527, 1.2), Acceptance::undecided);
  EXPECT_FALSE(their_acceptance(find_preset("five-inputs"), 1.0));
}

TEST(Presets, TheyLoosenNothing) {
  Contract contract;
  contract.speed.min_speedup = 1.2;
  tighten(contract, find_preset("apex-integrate"));
  EXPECT_EQ(contract.speed.min_speedup, 1.2);
  contract.speed.min_speedup = 1.0;
  tighten(contract, find_preset("apex-integrate"));
  EXPECT_EQ(contract.speed.min_speedup, 1.05);
  EXPECT_THROW(tighten(contract, find_preset("cuda-agent")), Error);
}

TEST(Presets, SuspicionsAreAdvice) {
  EXPECT_TRUE(suspicions(1e-3, 1e-4).empty()) << "10x is not above 10x";
  EXPECT_EQ(suspicions(1e-3, 0.99e-4).size(), 1u);
  EXPECT_EQ(suspicions(1.0, 1e-3).size(), 2u);
  EXPECT_TRUE(suspicions(1e-3, 1.5e-3).empty());
  EXPECT_EQ(suspicions(1e-3, 1.51e-3).size(), 1u);
}

TEST(Plot, ShowsCurveCeilingAndThisKernel) {
  const RoiResult result = assess([] {
    Inputs inputs;
    inputs.kernels = {single_kernel("k", {0.25, 0.25, 0.25}, {2, 2, 2})};
    return inputs;
  }());
  const std::vector<std::string> lines = plot_lines(result, 60, 10);
  ASSERT_EQ(lines.size(), 13u);
  EXPECT_TRUE(has(lines, "O kernel 2x -> end to end 1.14x, ceiling 1.33x"));
  EXPECT_NE(lines.front().find("----"), std::string::npos);
  EXPECT_TRUE(has({lines.begin(), lines.begin() + 10}, "O"));
  for (const std::string& line : lines) EXPECT_LE(line.size(), 60u);
}

TEST(Plot, ARegressionAndAKernelThatIsAllOfIt) {
  for (const auto& [share, speedup] : {std::pair{0.25, 0.5}, {1.0, 3.0}, {0.0, 2.0}, {0.5, 1e5}}) {
    Inputs inputs;
    inputs.kernels = {single_kernel("k", {share, share, share}, {speedup, speedup, speedup})};
    EXPECT_EQ(plot_lines(assess(inputs)).size(), 15u);
  }
}

}  // namespace
}  // namespace assay::roi
