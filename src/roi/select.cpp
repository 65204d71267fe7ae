#include "roi/select.h"

#include <algorithm>
#include <cmath>
#include <regex>

#include "core/nearest.h"
#include "roi/valid.h"

namespace assay::roi {
namespace {

/// std::regex recurses per letter: longer names are matched by their beginning.
constexpr std::size_t kMostMatched = 4096;

}  // namespace

std::function<bool(std::string_view)> picks_of(const std::string& pattern) {
  if (pattern.empty()) fail("the pattern of kernels is empty: give a name or a regular expression");
  std::optional<std::regex> regex;
  try {
    regex.emplace(pattern, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    // A name with brackets is a text that is no expression.
    const bool name = pattern.find_first_of("(<") != std::string::npos;
    if (!name) fail("'" + pattern + "' is no regular expression: " + error.what());
  }
  return [pattern, regex](std::string_view name) {
    if (name.find(pattern) != std::string_view::npos) return true;
    const std::string_view start = name.substr(0, kMostMatched);
    return regex && std::regex_search(start.begin(), start.end(), *regex);
  };
}

std::string short_name(std::string_view name) {
  std::string text(name);
  for (std::string_view anonymous : {"(anonymous namespace)::", "<unnamed>::"}) {
    for (std::size_t at; (at = text.find(anonymous)) != std::string::npos;) text.erase(at, anonymous.size());
  }
  text = text.substr(0, text.find_first_of("<("));
  const std::size_t colon = text.rfind("::"), blank = text.rfind(' ');
  if (colon != std::string::npos)
    text = text.substr(colon + 2);
  else if (blank != std::string::npos && blank + 1 < text.size())
    text = text.substr(blank + 1);
  return text.empty() ? std::string(name) : text;
}

namespace {

[[noreturn]] void fail_unmatched(const Profile& profile, const std::string& pattern) {
  std::vector<std::string> shorts;
  for (const ProfileKernel& kernel : profile.kernels) shorts.push_back(short_name(kernel.name));
  std::vector<std::string_view> views(shorts.begin(), shorts.end());
  std::string near;
  for (const std::string& word : near_words(pattern, views)) near += (near.empty() ? "'" : ", '") + word + "'";
  std::string largest;
  for (std::size_t i = 0; i < std::min<std::size_t>(shorts.size(), 3); ++i) {
    largest += (i == 0 ? "'" : ", '") + shorts[i] + "'";
  }
  fail(profile.path + ": no kernel matches '" + pattern + "'" + (near.empty() ? "" : "; did you mean " + near + "?") +
       " (largest: " + largest + ")");
}

void check_usable(const Profile& profile) {
  if (profile.floors_only) {
    fail(profile.path + ": " + profile.format +
         " runs kernels one by one: it gives floors, no shares; take a profile of the whole workload");
  }
  if (!(profile.kernel_s > 0.0)) fail(profile.path + ": " + profile.format + " has no times: no share can be told");
}

/// By how sure a way there is: a timeline; a share of kernel time and the device's busy share; the share alone.
void fill_wall(Selection& selection, const Profile& profile, std::optional<double> busy_share) {
  if (profile.picked && profile.window_s && *profile.window_s > 0.0) {
    selection.wall_share = profile.picked->exclusive_s / *profile.window_s;
    selection.active_share = profile.picked->active_s / *profile.window_s;
    selection.busy_share = profile.busy_s.value_or(0.0) / *profile.window_s;
    if (profile.window_has_host) {
      selection.hot_fraction = *selection.wall_share;
      return;
    }
    selection.notes.push_back(
        "the trace begins and ends with device work: idle time of the host beyond it is not seen");
    selection.hot_fraction = *selection.wall_share * busy_share.value_or(1.0);
    selection.ceiling = !busy_share;
    return;
  }
  selection.hot_fraction = selection.kernel_share * busy_share.value_or(1.0);
  selection.ceiling = !busy_share;
  if (busy_share) {
    selection.wall_share = selection.hot_fraction;
    selection.busy_share = busy_share;
    return;
  }
  selection.notes.push_back("the profile has no wall time: give busy_share, or every figure is a ceiling");
}

}  // namespace

Selection select(const Profile& profile, const std::string& pattern, std::optional<double> busy_share) {
  check_usable(profile);
  if (busy_share) check_share("busy_share", *busy_share);
  const auto picks = picks_of(pattern);
  Selection selection;
  for (const ProfileKernel& kernel : profile.kernels) {
    if (!picks(kernel.name)) {
      selection.unmatched_s += kernel.total_s;
      continue;
    }
    selection.matched_s += kernel.total_s;
    selection.kernels.push_back({kernel.name, kernel.calls, kernel.total_s, kernel.total_s / profile.kernel_s});
  }
  if (selection.kernels.empty()) fail_unmatched(profile, pattern);
  selection.kernel_share = selection.matched_s / profile.kernel_s;
  selection.notes = profile.notes;
  fill_wall(selection, profile, busy_share);
  return selection;
}

}  // namespace assay::roi
