#include "reports/listing.h"

#include "core/check.h"
#include "core/oracle.h"

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
