#include "reports/junit.h"

#include <gtest/gtest.h>

namespace assay::reports {
namespace {

AuditReport with_outcome(CheckOutcome outcome, Verdict verdict) {
  AuditReport report;
  report.contract_name = "k";
  report.verdict = verdict;
  report.reasons = {"because"};
  report.checks.resize(1);
  report.checks[0].id = "reuse";
  report.checks[0].outcome = outcome;
  report.checks[0].reason = "why";
  return report;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Junit, FailureIsTheCandidatesAndErrorIsOurs) {
  EXPECT_TRUE(holds(to_junit(with_outcome(CheckOutcome::finding, Verdict::fail)),
                    "tests=\"2\" failures=\"2\" errors=\"0\" skipped=\"0\""));
  EXPECT_TRUE(holds(to_junit(with_outcome(CheckOutcome::error, Verdict::error)),
                    "tests=\"2\" failures=\"0\" errors=\"2\" skipped=\"0\""));
  EXPECT_TRUE(holds(to_junit(with_outcome(CheckOutcome::unsupported, Verdict::inconclusive)),
                    "tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"2\""));
  EXPECT_TRUE(holds(to_junit(with_outcome(CheckOutcome::pass, Verdict::pass)),
                    "tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"0\""));
}

TEST(Junit, AnAuditWithoutChecksIsAnError) {
  AuditReport report = with_outcome(CheckOutcome::pass, Verdict::pass);
  report.checks.clear();
  EXPECT_TRUE(holds(to_junit(report), "tests=\"1\" failures=\"0\" errors=\"1\""));
}

}  // namespace
}  // namespace assay::reports
