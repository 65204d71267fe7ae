#include "reports/listing.h"

#include "core/check.h"
#include "core/oracle.h"
#include "core/threats.h"
#include "reports/coverage.h"

namespace assay::reports {
namespace {

std::string arguments_of(const Oracle& oracle) {
  std::string text;
  for (const OracleArg& arg : oracle.args) {
    if (!text.empty()) text += ", ";
    text += arg.name;
    if (arg.kind == OracleArgKind::output) text += " (out)";
    if (!arg.required) text += " (optional)";
  }
  return text;
}

}  // namespace

std::string list_checks(const ConsoleStyle& style) {
  std::vector<std::vector<std::string>> rows{{"check", "family", "threats", "claim"}};
  for (const Check& check : Registry<Check>::all()) {
    rows.push_back(
        {std::string(check.id), std::string(check.family), std::string(check.threats), std::string(check.claim)});
  }
  Page page(style);
  page.table(rows, 4);
  return page.text();
}

std::string list_threats(const ConsoleStyle& style) {
  std::vector<std::vector<std::string>> rows{{"threat", "", "name", "seen by", "guilty", "honest"}};
  std::size_t proven = 0;
  for (const Threat& threat : threats()) {
    const Coverage coverage = coverage_of(threat);
    const bool shown = coverage.guilty && coverage.honest;
    proven += shown ? 1 : 0;
    const std::string guilty = coverage.guilty ? std::string(coverage.guilty->fixture) : coverage.why_not;
    const std::string honest = coverage.honest ? std::string(coverage.honest->fixture) : "";
    rows.push_back({std::string(threat.id), std::string(1, threat.strength), std::string(threat.name), coverage.seen_by,
                    guilty, honest});
  }
  Page page(style);
  page.table(rows, 6);
  page.line("");
  page.line(std::to_string(proven) + " of " + std::to_string(threats().size()) +
            " threats have a guilty kernel that is convicted and an honest one that is acquitted. S: a deterministic "
            "test decides; M: statistical, or a matter of budget; W: a hint only.");
  return page.text();
}

std::string list_oracles(const ConsoleStyle& style) {
  std::vector<std::vector<std::string>> rows{{"oracle", "arguments", "truth"}};
  for (const Oracle& oracle : Registry<Oracle>::all()) {
    rows.push_back({std::string(oracle.id), arguments_of(oracle), std::string(oracle.summary)});
  }
  Page page(style);
  page.table(rows, 3);
  return page.text();
}

}  // namespace assay::reports
