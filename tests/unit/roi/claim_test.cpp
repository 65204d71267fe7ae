#include "roi/claim.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "refusal.h"

namespace assay::roi {
namespace {

Claim claim_of(double speedup, Aggregate aggregate = Aggregate::geomean) {
  Claim claim;
  claim.text = "a claim";
  claim.system = "AKO";
  claim.speedup = speedup;
  claim.denominator_class = DenominatorClass::expert;
  claim.baseline = "expert kernels";
  claim.hardware = "NVIDIA B200";
  claim.aggregate = aggregate;
  return claim;
}

ResultTable table_of(std::vector<std::optional<double>> speedups) {
  ResultTable table{"t.json", "akox", "AKO", "NVIDIA B200", {}};
  for (const auto& speedup : speedups) {
    ResultRow row;
    row.workload = "w" + std::to_string(table.rows.size());
    row.baseline = "expert";
    row.speedup = speedup;
    row.correct = speedup.has_value();
    table.rows.push_back(row);
  }
  return table;
}

template <class Outcome>
const Outcome& as(const ClaimResult& result) {
  return std::get<Outcome>(result.outcome);
}

bool has(const std::vector<std::string>& lines, std::string_view part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

TEST(Claim, AFigureIsHeldAgainstItsOwnDecimals) {
  const ResultTable table = table_of({2.0, 1.25, 0.8, std::nullopt});  // geometric mean 1.18921
  EXPECT_TRUE(std::holds_alternative<Reproduced>(judge(claim_of(1.19), table).outcome));
  EXPECT_TRUE(std::holds_alternative<Reproduced>(judge(claim_of(1.1), table).outcome)) << "understated is no fault";
  const ClaimResult over = judge(claim_of(1.2), table);
  EXPECT_TRUE(std::holds_alternative<Reproduced>(over.outcome)) << "1.18921 rounds to 1.2 with one decimal";
  EXPECT_NEAR(as<Overstated>(judge(claim_of(1.21), table)).by, 1.21 / 1.189207, 1e-5);
}

TEST(Claim, MeanRangeAndLosersAreToldTogether) {
  const ClaimResult result = judge(claim_of(1.19), table_of({2.0, 1.25, 0.8, std::nullopt}));
  EXPECT_EQ(result.summary->workloads, 4);
  EXPECT_EQ(result.summary->losing, 1);
  EXPECT_EQ(result.summary->failed, 1);
  EXPECT_EQ(result.summary->low, 0.8);
  EXPECT_EQ(result.summary->high, 2.0);
  EXPECT_NEAR(result.summary->mean, 1.2625, 1e-12);
  EXPECT_EQ(result.summary->losing_share(), 0.25);
  EXPECT_TRUE(has(result.notes, "nothing was measured here"));
}

TEST(Claim, DifferentDenominatorsAreNeverAveraged) {
  ResultTable table = table_of({2.0, 3.0});
  table.rows[1].baseline = "eager";
  EXPECT_EQ(as<NotComparable>(judge(claim_of(2.4), table)).why, "the table's figures are over different denominators");
  EXPECT_NE(message_of([&] { summarise(table); }).find("are not averaged"), std::string::npos);
}

TEST(Claim, EvidenceOfAnotherSystemIsRefusedWhateverItSays) {
  ResultTable table = table_of({1.19});
  table.system = "AutoKernel";
  const ClaimResult result = judge(claim_of(1.19), table);
  EXPECT_EQ(as<EvidenceRefused>(result).why, "the evidence is of AutoKernel, the claim of AKO");
  table.system = "AKO4X";
  EXPECT_TRUE(std::holds_alternative<Reproduced>(judge(claim_of(1.19, Aggregate::single), table).outcome));
}

TEST(Claim, NaiveAndOwnDenominatorsAreUnfairEvenIfTrue) {
  Claim claim = claim_of(4.88, Aggregate::single);
  claim.denominator_class = DenominatorClass::naive;
  ResultTable table = table_of({4.882});
  table.rows[0].candidate_s = 1.95e-3;
  table.rows[0].alternative_s = 2.09e-3;
  EXPECT_NEAR(as<DenominatorUnfair>(judge(claim, table)).fair.value(), 1.0718, 5e-5);
  claim.denominator_class = DenominatorClass::own_start;
  EXPECT_FALSE(as<DenominatorUnfair>(judge(claim, std::monostate{})).fair);
}

TEST(Claim, WhatCanNotBeComparedIsNot) {
  EXPECT_TRUE(std::holds_alternative<NotReproducible>(judge(claim_of(2), std::monostate{}).outcome));
  Claim other = claim_of(1.2);
  other.hardware = "H100";
  EXPECT_TRUE(std::holds_alternative<NotComparable>(judge(other, table_of({1.2})).outcome));
  EXPECT_TRUE(
      std::holds_alternative<NotComparable>(judge(claim_of(1.2, Aggregate::single), table_of({1.2, 1.2})).outcome));
  EXPECT_TRUE(
      std::holds_alternative<NotComparable>(judge(claim_of(1.2, Aggregate::per_shape), table_of({1.2})).outcome));
  EXPECT_TRUE(std::holds_alternative<NotReproducible>(judge(claim_of(1.2), table_of({std::nullopt})).outcome));
  Claim bare = claim_of(1.2);
  bare.baseline.clear();
  EXPECT_TRUE(std::holds_alternative<NotComparable>(judge(bare, table_of({1.2})).outcome));
  bare = claim_of(1.2);
  bare.speedup.reset();
  EXPECT_TRUE(std::holds_alternative<NotComparable>(judge(bare, table_of({1.2})).outcome));
}

TEST(Claim, OurOwnAudit) {
  AuditedSpeed audit{1.5, 1.4, 1.6, true, "NVIDIA B200", "reference", ""};
  EXPECT_TRUE(std::holds_alternative<Reproduced>(judge(claim_of(1.6), audit).outcome));
  EXPECT_NEAR(as<Overstated>(judge(claim_of(2.8), audit)).by, 2.0, 1e-12) << "over the lower end";
  audit.passed = false;
  EXPECT_TRUE(std::holds_alternative<NotReproducible>(judge(claim_of(1.5), audit).outcome));
  audit = {1.5, 1.4, 1.6, true, "cpu", "reference", ""};
  EXPECT_TRUE(std::holds_alternative<NotComparable>(judge(claim_of(1.5), audit).outcome));
}

TEST(Claim, OurOwnAuditOverTheProductionMix) {
  Contract contract;
  contract.shapes = {{{{"T", 1}}, 0.9}, {{{"T", 64}}, 0.1}};
  AuditReport report;
  report.verdict = Verdict::pass;
  for (const auto& [shape, before, after] : {std::tuple{"T=1", 1.0, 0.5}, {"T=64", 9.0, 9.0}, {"T=7", 5.0, 1.0}}) {
    SpeedRow row;
    row.shape = shape;
    row.calls = 10;
    row.reference_s = before;
    row.candidate_s = after;
    report.speed.shapes.push_back(row);
  }
  const AuditedSpeed audit = audited_speed(report, contract);
  EXPECT_TRUE(audit.passed);
  EXPECT_NEAR(audit.estimate, 1.8 / 1.35, 1e-12) << "a shape that production does not call has no weight";
  report.verdict = Verdict::fail;
  EXPECT_FALSE(audited_speed(report, contract).passed);
}

TEST(Claim, AMeasuredMixCountsBeforeMediansOfSingleCalls) {
  AuditReport report;
  report.verdict = Verdict::pass;
  SpeedRow row;
  row.reference_s = 3.0;
  row.candidate_s = 1.0;
  report.speed.shapes = {row};
  report.speed.mix.emplace();
  report.speed.mix->speedup = SpeedInterval{1.5, 1.4, 1.6, 0.95};
  const AuditedSpeed audit = audited_speed(report, Contract{});
  EXPECT_EQ(audit.estimate, 1.5);
  EXPECT_EQ(audit.low, 1.4);
  EXPECT_EQ(audit.high, 1.6);
}

TEST(Claim, SaysWhatItDoesNotState) {
  const ClaimResult result = judge(claim_of(1.2), std::monostate{});
  for (const char* what : {"tolerance", "shapes", "workloads passed", "pass", "source", "time or throughput"}) {
    EXPECT_TRUE(has(result.unstated, what)) << what;
  }
  EXPECT_FALSE(has(result.unstated, "hardware"));
}

TEST(Claim, ReportsHoldTheFigures) {
  const ClaimReport report = report_of(claim_of(1.21), table_of({2.0, 1.25, 0.8, std::nullopt}));
  EXPECT_EQ(report.verdict, "overstated");
  EXPECT_EQ(report.exit, 1);
  EXPECT_NEAR(report.found_speedup.value(), 1.189207, 1e-6);
  EXPECT_EQ(report.table->losing, 1);
  EXPECT_EQ(report_of(claim_of(2), std::monostate{}).exit, 3);
}

TEST(Results, Akox) {
  const ResultTable lines = parse_results(
      "COMPILED: True\nCORRECT: True\nRUNTIME: 0.3\nREF_RUNTIME: 0.8\nSPEEDUP: 2.7197x\n", "r", ResultsFormat::akox);
  EXPECT_EQ(lines.rows[0].speedup, 2.7197);
  const ResultTable nested = parse_results(
      R"({"mla": {"u1": {"status": "PASSED", "latency_ms": 1.0, "reference_latency_ms": 1.5, "speedup_factor": 1.5},
                  "u2": {"status": "TIMEOUT", "latency_ms": null}}})",
      "r", ResultsFormat::akox);
  ASSERT_EQ(nested.rows.size(), 2u);
  EXPECT_EQ(nested.rows[0].workload, "mla/u1");
  EXPECT_EQ(nested.rows[0].speedup, 1.5);
  EXPECT_FALSE(nested.rows[1].speedup);
  EXPECT_EQ(nested.rows[1].failure, "TIMEOUT");
}

TEST(Results, AutoKernelKeepsTheLastKeptOfEachKernel) {
  const std::string header =
      "experiment\ttag\tkernel_type\tthroughput_tflops\tlatency_us\tpct_peak\tspeedup_vs_pytorch\tcorrectness\n";
  const ResultTable table =
      parse_results(header +
                        "0\tkept\tmatmul\t1\t1\t1\t1.1x\tPASS\n1\trevert\tmatmul\t1\t1\t1\t9x\tPASS\n"
                        "2\tkept\tmatmul\t1\t1\t1\t1.3x\tPASS\n3\tkept\tsoftmax\t1\t1\t1\t2x\tFAIL\n",
                    "r", ResultsFormat::autokernel);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].speedup, 1.3);
  EXPECT_FALSE(table.rows[1].speedup) << "its process exits with 0 on FAIL";
  EXPECT_EQ(
      message_of([&] { parse_results(header + "0\tkept\tm\t1\t1\t1\tfast\tPASS\n", "r", ResultsFormat::autokernel); }),
      "r:2: 'speedup_vs_pytorch' is no number: 'fast'");
}

TEST(Results, ApexAndMagpie) {
  const ResultTable apex = parse_results(
      R"([{"task_id": "a", "compiled": true, "correct": true, "speedup": 1.14},
          {"task_id": "b", "compiled": true, "correct": false, "speedup": 36.35}])",
      "r", ResultsFormat::apex);
  EXPECT_EQ(apex.rows[0].speedup, 1.14);
  EXPECT_FALSE(apex.rows[1].speedup);
  const ResultTable magpie = parse_results(
      R"({"kernel_results": [{"kernel_id": "base", "correctness_state": "SUCCESS", "latency_result": {"latency_ms": 2.0}},
                              {"kernel_id": "new", "correctness_state": "SUCCESS", "latency_result": {"latency_ms": 1.6}}]})",
      "r", ResultsFormat::magpie);
  ASSERT_EQ(magpie.rows.size(), 1u);
  EXPECT_NEAR(magpie.rows[0].speedup.value(), 1.25, 1e-12);
  EXPECT_EQ(magpie.rows[0].baseline, "base");
}

TEST(Results, KernelBenchAndKernelAgent) {
  const ResultTable bench = parse_results(
      R"({"1": [{"compiled": true, "correctness": true, "runtime": 1.0, "ref_runtime": 2.0, "metadata": {"hardware": "H100"}}],
          "2": {"compiled": false, "correctness": false, "runtime": -1}})",
      "r", ResultsFormat::kernelbench);
  ASSERT_EQ(bench.rows.size(), 2u);
  EXPECT_EQ(bench.rows[0].speedup, 2.0);
  EXPECT_EQ(bench.rows[1].failure, "does not compile");
  EXPECT_EQ(bench.hardware, "H100");
  const ResultTable agent = parse_results(
      R"({"problem": "gemv", "kernels": {"a": {"time_ms": 1.95}, "b": {"time_ms": 2.09}, "c": {"time_ms": 1.0, "error": "x"}},
          "pytorch_reference": 9.52})",
      "r", ResultsFormat::kernelbench);
  EXPECT_NEAR(agent.rows[0].speedup.value(), 4.8821, 5e-5);
  EXPECT_NEAR(agent.rows[0].alternative_s.value(), 2.09e-3, 1e-12) << "a kernel with an error is none";
}

TEST(Results, FlashinferTracesOneALine) {
  const std::string line =
      R"({"definition": "d", "workload": {"uuid": "u"}, "solution": "s", "evaluation": {"status": "PASSED",)"
      R"( "environment": {"hardware": "B200"}, "performance": {"latency_ms": 1, "reference_latency_ms": 3}}})";
  const ResultTable table =
      parse_results(line + "\n" + R"({"definition": "d", "workload": {}, "evaluation": null})" + "\n", "r",
                    ResultsFormat::flashinfer);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].speedup, 3.0);
  EXPECT_EQ(table.hardware, "B200");
  EXPECT_EQ(message_of([&] { parse_results(line + "\n{\"defin\n", "r", ResultsFormat::flashinfer); }),
            "r:2: bad JSON; was the file written to its end?");
  EXPECT_EQ(message_of([] { parse_results("[]", "r", ResultsFormat::flashinfer); }), "r: no results in it");
}

}  // namespace
}  // namespace assay::roi
