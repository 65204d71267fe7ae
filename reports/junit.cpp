#include "reports/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "reports/text.h"

namespace assay::reports {
namespace {

enum class Mark : std::uint8_t { passed, failure, error, skipped };
constexpr std::array<std::string_view, 4> kElements{"", "failure", "error", "skipped"};

struct Case {
  std::string classname, name, message;
  double seconds = 0.0;
  Mark mark = Mark::passed;
};

/// REPORTS.md, "Verdict words": in the order of the enumerations.
constexpr std::array<Mark, 4> kOfVerdict{Mark::passed, Mark::failure, Mark::skipped, Mark::error};
constexpr std::array<Mark, 5> kOfOutcome{Mark::passed, Mark::failure, Mark::skipped, Mark::skipped, Mark::error};

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

std::string message_of(const AuditReport& report, const CheckResult& check) {
  std::vector<std::string> lines;
  if (!check.reason.empty()) lines.push_back(check.reason);
  for (const Finding& finding : report.findings) {
    const bool ours = std::find(check.findings.begin(), check.findings.end(), finding.id) != check.findings.end();
    if (ours) lines.push_back(fmt::format("{}: {} [{}]", finding.id, finding.message, finding.replay));
  }
  return joined(lines);
}

/// The verdict is a case of its own: an audit that checked nothing has one failing case rather than none.
std::vector<Case> cases_of(const AuditReport& report) {
  std::vector<Case> cases{
      {"assay", "verdict", joined(report.reasons), 0.0, kOfVerdict[static_cast<std::size_t>(report.verdict)]}};
  if (report.checks.empty()) cases.front().mark = Mark::error;
  for (const CheckResult& check : report.checks) {
    cases.push_back({check.family.empty() ? "assay" : check.family, check.id, message_of(report, check), check.seconds,
                     kOfOutcome[static_cast<std::size_t>(check.outcome)]});
  }
  return cases;
}

std::string counts_of(const std::vector<Case>& cases, double seconds) {
  const auto count = [&](Mark mark) {
    return std::count_if(cases.begin(), cases.end(), [&](const Case& each) { return each.mark == mark; });
  };
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"", cases.size(),
                     count(Mark::failure), count(Mark::error), count(Mark::skipped), seconds);
}

std::string text_of(const Case& each) {
  const std::string start = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"",
                                        xml_text(each.classname), xml_text(each.name), each.seconds);
  if (each.mark == Mark::passed) return start + "/>\n";
  return fmt::format("{}>\n      <{} message=\"{}\"/>\n    </testcase>\n", start,
                     kElements[static_cast<std::size_t>(each.mark)], xml_text(each.message));
}

}  // namespace

std::string to_junit(const AuditReport& report) {
  const std::vector<Case> cases = cases_of(report);
  const std::string counts = counts_of(cases, report.run.seconds);
  std::string text =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite name=\"{1}\" {0}>\n",
                  counts, xml_text("assay " + report.contract_name));
  for (const Case& each : cases) text += text_of(each);
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace assay::reports
