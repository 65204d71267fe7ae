#include "roi/answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/error.h"

namespace assay::roi {
namespace {

std::string fixture(const std::string& name) {
  return std::string(ASSAY_SOURCE_DIR) + "/fixtures/profiles/" + name;
}

bool has(const std::vector<std::string>& lines, std::string_view part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

std::string message_of(const Question& question) {
  try {
    answer(question);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::kUsage);
    return error.what();
  }
  return "nothing was thrown";
}

ReportFacts report_of(const std::string& verdict) {
  return parse_report(R"({"verdict": ")" + verdict + R"(", "contract": {"path": "c.toml"}, "speed": {"shapes": [
      {"shape": "T=1", "calls": 9, "reference_s": 1.0, "candidate_s": 0.5},
      {"shape": "T=64", "calls": 9, "reference_s": 10.0, "candidate_s": 8.0, "speedup": {"estimate": 1.25, "low": 1.2, "high": 1.3}},
      {"shape": "T=2", "calls": 9, "reference_s": 1.0}]}})",
                      "report.json");
}

TEST(Answer, FlagsAlone) {
  const RoiAnswer found = answer({.hot_fraction = 0.25, .speedup = 2.0});
  EXPECT_NEAR(found.result->saved_fraction.value, 0.125, 1e-12);
  EXPECT_EQ(found.plot.size(), 15u);
  EXPECT_TRUE(has(found.result->assumptions, "nothing was audited"));
}

TEST(Answer, AReportsBaselineIsTheOneOfTheRegimeThatDecides) {
  const ReportFacts facts = parse_report(R"({"verdict": "pass", "speed": {"shapes": [{"shape": "T=1", "calls": 3,
    "reference_s": 9.0, "candidate_s": 8.0, "speedup": {"estimate": 2.0, "low": 1.9, "high": 2.1},
    "regimes": [{"regime": "cold", "baseline_s": 4.0}, {"regime": "hot", "baseline_s": 3.0}]}]}})",
                                         "report");
  ASSERT_EQ(facts.shapes.size(), 1u);
  EXPECT_EQ(facts.shapes[0].reference_s, 4.0);
  EXPECT_TRUE(facts.shapes[0].has_interval);
}

TEST(Answer, WhatIsMissingIsSaid) {
  EXPECT_NE(message_of({.speedup = 2.0}).find("no share of the workload is known"), std::string::npos);
  EXPECT_NE(message_of({.hot_fraction = 0.25}).find("no speed-up is known"), std::string::npos);
  EXPECT_NE(message_of({.speedup = 2.0, .trace = "t"}).find("--trace needs --kernel"), std::string::npos);
  EXPECT_EQ(message_of({.hot_fraction = 0.25, .speedup = 2.0, .kernel = "k"}), "--kernel needs --trace");
  EXPECT_EQ(message_of({.hot_fraction = 0.25, .speedup = 2.0, .previous = "r"}), "--previous needs --before");
  EXPECT_NE(message_of({.hot_fraction = 0.25, .speedup = 2.0, .preset = "campain"}).find("did you mean 'campaign'?"),
            std::string::npos);
}

TEST(Answer, ReportsBringSpeedPerShape) {
  Contract contract;
  contract.name = "k";
  contract.shapes = {{{{"T", 1}}, 0.5}, {{{"T", 64}}, 0.5}};
  Question question{.contract = &contract, .hot_fraction = 0.22};
  question.report = report_of("pass");
  const RoiResult result = *answer(question).result;
  ASSERT_EQ(result.per_shape.size(), 2u);
  EXPECT_NEAR(result.per_shape[0].share, 0.02, 1e-12);
  EXPECT_NEAR(result.saved_fraction.value, 0.02 * 0.5 + 0.2 * 0.2, 1e-12);
  EXPECT_GT(result.draws, 0) << "one shape has an interval";
}

TEST(Answer, BesideAReportAGivenSpeedupIsTheClaim) {
  Question question{.hot_fraction = 0.22, .speedup = 10.0};
  EXPECT_FALSE(answer(question).result->audited_lower_speedup);
  EXPECT_EQ(answer(question).result->claimed_speedup, 10.0);
  question.report = report_of("pass");
  const RoiResult result = *answer(question).result;
  EXPECT_LT(result.speedup.value, 1.4);
  EXPECT_NEAR(result.inflation.value(), 10.0 / *result.audited_lower_speedup, 1e-12);
}

TEST(Answer, OnlyAPassIsCredited) {
  Question question{.hot_fraction = 0.22};
  question.report = report_of("inconclusive");
  EXPECT_EQ(answer(question).result->saved_fraction.value, 0.0);
  question.report = report_of("fail");
  EXPECT_EQ(answer(question).result->gate, RoiGate::do_not_deploy);
  EXPECT_EQ(exit_of(question, answer(question)), Exit::kFail);
}

TEST(Answer, AProductionShapeThatWasNotTimedCountsAsOne) {
  Contract contract;
  contract.shapes = {{{{"T", 1}}, 0.5}, {{{"T", 3}}, 0.5}};
  Question question{.contract = &contract, .hot_fraction = 0.5};
  question.report = report_of("pass");
  const RoiResult result = *answer(question).result;
  EXPECT_EQ(result.per_shape[1].status, SpeedStatus::not_audited);
  EXPECT_EQ(result.per_shape[1].speedup, 1.0);
}

TEST(Answer, BothSharesOfATraceAreShown) {
  const RoiAnswer found = answer({.speedup = 2.0, .trace = fixture("torch_two_streams.json"), .kernel = "gemm"});
  EXPECT_NEAR(found.trace->kernel_share, 50.0 / 70.0, 1e-9);
  EXPECT_NEAR(found.trace->wall_share.value(), 0.4, 1e-9);
  EXPECT_NEAR(found.result->saved_fraction.value, 0.2, 1e-9);
}

TEST(Answer, TheGateKnowsRooflineAndAlternativesOfATrace) {
  Contract contract;
  contract.roi = RoiSpec{};
  contract.roi->accelerator_usd_per_hour = 6.0;
  contract.roi->campaign_cost_usd = 1.0;
  const Question question{
      .contract = &contract, .trace = fixture("apex_bottlenecks.json"), .kernel = "moe", .before = true};
  const RoiAnswer found = answer(question);
  EXPECT_EQ(found.result->gate, RoiGate::do_not_search);
  EXPECT_TRUE(has(found.result->reasons, "already near the roofline: 88.0 %"));
  ASSERT_EQ(found.result->better.size(), 1u);
  EXPECT_EQ(found.result->better[0].substr(0, 11), "gemm_kernel");
  EXPECT_EQ(exit_of(question, found), Exit::kFail);
}

TEST(Answer, RankingAlone) {
  const RoiAnswer found = answer({.rank = fixture("nsys_kern_sum.csv")});
  EXPECT_FALSE(found.result);
  EXPECT_EQ(found.ranking->rows.size(), 3u);
}

TEST(Answer, PresetsDemandTheWholeInterval) {
  const Question question{.hot_fraction = 0.25, .speedup = 1.05, .preset = "apex-integrate"};
  const RoiAnswer found = answer(question);
  EXPECT_EQ(exit_of(question, found), Exit::kFail);
  EXPECT_TRUE(has(found.result->reasons, "1.0500x is not above 1.05x"));
  EXPECT_NE(message_of({.hot_fraction = 0.25, .speedup = 2, .preset = "campaign"}).find("search_usd_per_hour"),
            std::string::npos);
}

TEST(Answer, ThePreviousCampaignMustHaveBeenMeasured) {
  const std::string path = testing::TempDir() + "assay_previous.json";
  const auto gate_after = [&](const std::string& extra) {
    std::ofstream(path) << R"({"verdict": "pass", "speed": {"shapes": []})" << extra << "}";
    Contract contract;
    contract.roi = RoiSpec{};
    contract.roi->accelerator_usd_per_hour = 6.0;
    contract.roi->campaign_cost_usd = 1.0;
    return answer({.contract = &contract, .hot_fraction = 0.25, .before = true, .previous = path}).result->gate;
  };
  EXPECT_EQ(gate_after(""), RoiGate::do_not_search);
  EXPECT_EQ(gate_after(R"(, "end_to_end": {"saved_fraction": {"p05": 0.01, "p50": 0.02, "p95": 0.03}})"),
            RoiGate::fund);
  EXPECT_EQ(gate_after(R"(, "end_to_end": {"saved_fraction": -0.01})"), RoiGate::do_not_search);
  std::filesystem::remove(path);
}

TEST(Answer, NoReport) {
  EXPECT_THROW(parse_report("{}", "r"), Error);
  EXPECT_THROW(parse_report("{\"verdict\": \"pass\"", "r"), Error);
}

}  // namespace
}  // namespace assay::roi
