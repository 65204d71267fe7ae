#include "verdict/decide.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

/// Everything in order: calls were checked and nothing was found.
struct Decided : testing::Test {
  Contract contract;
  DecisionInput input{&contract, {}, {}, {10, 100, 1000}, {}, Depth::standard, {}, {}, false};

  void expect(Verdict verdict, const std::string& reason) {
    const Decision decision = decide(input);
    EXPECT_EQ(decision.verdict, verdict);
    ASSERT_FALSE(decision.reasons.empty());
    EXPECT_NE(decision.reasons[0].find(reason), std::string::npos) << decision.reasons[0];
  }
  void find(Severity severity) {
    Finding finding;
    finding.check = "written";
    finding.message = "y[3] was not written";
    finding.severity = severity;
    input.findings.push_back(finding);
  }
};

TEST_F(Decided, CountsMakeAPass) {
  expect(Verdict::pass, "10 calls checked, 100 elements compared, 1000 bytes guarded");
}

TEST_F(Decided, NothingCheckedIsNeverAPass) {
  for (std::int64_t Counts::*count : {&Counts::calls, &Counts::elements, &Counts::bytes}) {
    input.counts = {10, 100, 1000};
    input.counts.*count = 0;
    expect(Verdict::inconclusive, "no ");
  }
}

TEST_F(Decided, OnlyErrorsFail) {
  find(Severity::note);
  expect(Verdict::pass, "nothing found");
  find(Severity::error);
  expect(Verdict::fail, "written: y[3] was not written");
}

TEST_F(Decided, AnErrorOutweighsADoubt) {
  input.doubts = {"too few workers survived"};
  expect(Verdict::inconclusive, "too few workers");
  find(Severity::error);
  expect(Verdict::fail, "written");
}

TEST_F(Decided, AnUnfitAuditOutweighsEverything) {
  find(Severity::error);
  input.environment = {"the reference can't be used"};
  expect(Verdict::error, "the reference");
}

TEST_F(Decided, ACheckThatBrokeIsADoubt) {
  CheckResult broken;
  broken.id = "repeat";
  broken.outcome = CheckOutcome::error;
  broken.reason = "no worker could be started";
  input.checks = {broken};
  expect(Verdict::inconclusive, "repeat: no worker");
}

TEST_F(Decided, APromiseThatWasNotMeasuredIsADoubt) {
  contract.speed.min_speedup = 1.2;
  expect(Verdict::inconclusive, "minimum speed-up");
  input.depth = Depth::quick;  // which lists it as not covered instead
  expect(Verdict::pass, "nothing found");
  input.depth = Depth::standard;
  contract.speed.min_speedup.reset();
  contract.speed.min_speedup_each = 1.0;
  expect(Verdict::inconclusive, "minimum speed-up");
  contract.speed.min_speedup_each.reset();
  contract.end_to_end.emplace();
  contract.end_to_end->required = true;
  expect(Verdict::inconclusive, "end-to-end");
  contract.end_to_end->required = false;
  expect(Verdict::pass, "nothing found");
}

TEST_F(Decided, NothingButAPassExitsWithZero) {
  EXPECT_EQ(exit_code(Verdict::pass), Exit::kPass);
  EXPECT_EQ(exit_code(Verdict::fail), Exit::kFail);
  EXPECT_EQ(exit_code(Verdict::inconclusive), Exit::kInconclusive);
  EXPECT_EQ(exit_code(Verdict::error), Exit::kEnvironment);
}

}  // namespace
}  // namespace assay
