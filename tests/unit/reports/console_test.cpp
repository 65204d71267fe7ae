#include "reports/console.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "reports/text.h"

namespace assay::reports {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

Finding finding(std::string id, std::string check, Severity severity, std::string message) {
  Finding f;
  f.id = std::move(id);
  f.check = std::move(check);
  f.severity = severity;
  f.message = std::move(message);
  return f;
}

AuditReport with_findings() {
  AuditReport report;
  report.verdict = Verdict::fail;
  report.contract_name = "k";
  report.findings = {finding("f1", "residue", Severity::note, "grows"),
                     finding("f2", "guards", Severity::error, "writes beside y")};
  return report;
}

TEST(Console, FirstLineIsTheVerdict) {
  const std::vector<std::pair<Verdict, std::string>> words{{Verdict::pass, "PASS: k"},
                                                           {Verdict::fail, "FAIL: k"},
                                                           {Verdict::inconclusive, "CAN'T TELL: k"},
                                                           {Verdict::error, "AUDITOR ERROR: k"}};
  for (const auto& [verdict, word] : words) {
    AuditReport report = with_findings();
    report.verdict = verdict;
    EXPECT_EQ(first_line(to_console(report, {})), word);
  }
}

TEST(Console, ErrorsComeBeforeNotes) {
  const std::string text = to_console(with_findings(), {});
  EXPECT_LT(text.find("error f2: guards"), text.find("note f1: residue"));
}

TEST(Console, ColoursOnlyWhenAsked) {
  EXPECT_EQ(to_console(with_findings(), {}).find('\x1b'), std::string::npos);
  EXPECT_NE(to_console(with_findings(), {.colour = true}).find("\x1b[1;31mFAIL"), std::string::npos);
}

TEST(Console, ProseStaysInsideTheWidth) {
  AuditReport report = with_findings();
  report.findings[1].message = std::string(300, 'x') + " and " + std::string(300, 'y');
  report.reasons = {report.findings[1].message};
  const std::string text = to_console(report, {.width = 50});
  for (std::size_t start = 0; start < text.size(); start = text.find('\n', start) + 1) {
    EXPECT_LE(shown_width(first_line(text.substr(start))), 50u);
  }
}

/// A command must be copied as one line, so it is the one thing that isn't wrapped.
TEST(Console, ReplayIsOneLine) {
  AuditReport report = with_findings();
  report.findings[0].replay = "assay replay " + std::string(200, 'r') + " f1";
  EXPECT_NE(to_console(report, {.width = 50}).find(report.findings[0].replay + "\n"), std::string::npos);
}

TEST(Console, NothingOfASubjectReachesTheTerminal) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    AuditReport report = with_findings();
    report.subjects["candidate"] = {bytes, bytes, bytes};
    report.findings[0].message = report.findings[0].replay = report.findings[0].shape = bytes;
    report.findings[0].evidence["text"] = bytes;
    for (char32_t point : decode(to_console(report, {}))) RC_ASSERT(point == U'\n' || !is_command(point));
  }));
}

}  // namespace
}  // namespace assay::reports
