#include "reports/disclose.h"

#include <gtest/gtest.h>

#include "reports/render.h"

namespace assay::reports {
namespace {

AuditReport telling() {
  AuditReport report;
  report.verdict = Verdict::fail;
  report.run.seed = std::string(64, 'c');
  report.contract_name = "rmsnorm";
  report.subjects["candidate"] = {"k.so", std::string(64, '1'), "rmsnorm"};
  report.reasons = {"fresh-values: y[3] at H=4096: expected 0.123"};
  CheckResult check{"fresh-values", "A", "Values count, not addresses.", CheckOutcome::finding, "", {9, 8, 7}, 0.1,
                    {"f1"}};
  report.checks = {check};
  Finding finding;
  finding.id = "f1";
  finding.check = "fresh-values";
  finding.witness = "error";
  finding.message = "y[3]: expected 0.123, got 0.456";
  finding.shape = "H=4096 T=1";
  finding.call = "2 of 2: same pointers";
  finding.evidence["expected"] = 0.123;
  finding.replay = "assay audit c.toml --seed cccc";
  finding.occurrences = 12;
  report.findings = {finding};
  report.speed.shapes.resize(1);
  report.numerics = {{"candidate", "y", 8, 0.123, 0, 0, 0, 0, 0, 0, {}}};
  report.not_covered = {"shape H=16384 T=65536: too large", "races that this machine did not provoke"};
  return report;
}

TEST(Disclosure, ClassesShowNoShapeSeedValueOrCommand) {
  const AuditReport coarse = disclosed(telling(), Disclosure::classes);
  for (const FormatInfo& format : kFormats) {
    const std::string text = render(format.format, coarse, {});
    for (const char* secret : {"4096", "16384", "cccc", "0.123", "0.456", "2 of 2", "same pointers", "--seed"}) {
      EXPECT_EQ(text.find(secret), std::string::npos) << format.name << " tells " << secret << ":\n" << text;
    }
    EXPECT_NE(text.find("fresh-values"), std::string::npos) << format.name;
  }
  EXPECT_EQ(coarse.verdict, Verdict::fail);
  EXPECT_EQ(coarse.findings[0].occurrences, 12);
  EXPECT_EQ(coarse.reasons, std::vector<std::string>{"the check fresh-values (family A) found a fault"});
}

TEST(Disclosure, FullShowsAll) {
  EXPECT_EQ(render(Format::json, disclosed(telling(), Disclosure::full), {}), render(Format::json, telling(), {}));
}

}  // namespace
}  // namespace assay::reports
