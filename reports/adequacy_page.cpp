#include "reports/adequacy_page.h"

#include <fmt/format.h>

namespace assay::reports {
namespace {

/// By what part of the result it is off.
std::string survivor_text(const AdequacyGroup& group) {
  if (group.survivors.empty()) return "";
  const Survivor& least = group.survivors.front();
  return fmt::format("{} (off by {:.3g} %)", least.name, 100.0 * least.damage);
}

}  // namespace

void add_adequacy(Page& page, const AdequacySection& section) {
  if (section.groups.empty() && section.reason.empty()) return;
  page.heading("Adequacy: can this contract tell a wrong result from a right one?");
  if (!section.reason.empty()) return page.bullet("not examined: " + section.reason);
  std::vector<std::vector<std::string>> rows{{"wrong results", "told", "of", "smallest that passes"}};
  for (const AdequacyGroup& group : section.groups) {
    rows.push_back({group.name, std::to_string(group.killed), std::to_string(group.mutants), survivor_text(group)});
  }
  page.table(rows, 4);
  for (const std::string& why : section.inadequate) page.bullet("inadequate: " + why);
  for (const std::string& proposal : section.proposals) page.bullet("would help: " + proposal);
}

std::string adequacy_page(const AdequacySection& section, const ConsoleStyle& style) {
  Page page(style);
  add_adequacy(page, section);
  if (section.reason.empty()) page.field("shape", section.shape);
  if (section.reason.empty() && section.inadequate.empty()) page.bullet("adequate: a pass under it means something");
  return page.text();
}

}  // namespace assay::reports
