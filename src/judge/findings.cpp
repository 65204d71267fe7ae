#include "judge/findings.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/check.h"
#include "verdict/advice.h"

namespace assay {
namespace {

bool is(const std::string& witness, std::initializer_list<std::string_view> any) {
  return std::find(any.begin(), any.end(), witness) != any.end();
}

constexpr std::array<WitnessInfo, 13> kWitnesses{{
    {"error", "Every output is as close to the truth as the contract's precision allows, whatever came before."},
    {"classes", "NaN and infinities stand where the truth has them, and nowhere else."},
    {"load", "The file loads, and its constructors come to an end."},
    {"return", "Every call returns, with the value that means success, and ends no process."},
    {"done", "Work is finished when the call returns."},
    {"written", "Every element of every output is written by every call."},
    {"guards", "Nothing outside the call's own tensors is touched."},
    {"inputs", "Inputs hold what the caller wrote."},
    {"residue", "Calls leave no threads, children or descriptors behind, and memory doesn't grow."},
    {"manners", "Calls leave the process's own state as they found it."},
    {"attempt", "The subject tries nothing that a kernel has no use for."},
    {"accuracy", "Errors are as small as those of the reference; more than the contract allows is another matter."},
    {"reference", "The reference agrees with its own oracle."},
}};

std::optional<Check> find_check(std::string_view id) {
  for (const Check& each : Registry<Check>::all()) {
    if (each.id == id) return each;
  }
  return std::nullopt;
}

/// Whether a list such as "A1 A4" has the word.
bool names(std::string_view list, std::string_view word) {
  return (" " + std::string(list) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

std::string first_threat(const std::string& id) {
  const std::optional<Check> check = find_check(id);
  return check ? std::string(check->threats.substr(0, check->threats.find(' '))) : std::string();
}

std::string call_text(const Origin& origin, bool at_load) {
  if (origin.script == nullptr) return at_load ? "none: it doesn't load" : "between calls";
  return std::to_string(origin.call + 1) + " of " + std::to_string(origin.script->calls.size()) + ": " +
         origin.script->story;
}

Finding to_finding(const Observation& observation, const Origin& origin) {
  Finding finding;
  finding.check = check_of(observation, origin.script);
  finding.witness = observation.witness;
  const bool told = origin.script != nullptr && !origin.script->threat.empty() && finding.check == origin.script->check;
  finding.threat = told ? origin.script->threat : first_threat(finding.check);
  if (!observation.threat.empty()) finding.threat = observation.threat;
  finding.severity = origin.required ? observation.severity : Severity::note;
  finding.subject = origin.subject;
  finding.message = observation.message;
  finding.advice = std::string(advice_for(observation.witness, finding.check));
  finding.lifetime = observation.witness == "load" ? Lifetime::fixed_address : origin.lifetime;
  finding.evidence = observation.evidence;
  finding.call = call_text(origin, observation.witness == "load");
  if (origin.script != nullptr) finding.evidence["calls_of"] = origin.script->check;
  if (origin.script != nullptr && origin.call < origin.script->calls.size()) {
    finding.shape = to_string(origin.script->calls[origin.call].axes);
  }
  return finding;
}

/// Sightings with other stories that are kept: one of them may reproduce alone where the first doesn't.
constexpr std::size_t kOthers = 3;

void keep_other_story(Findings::Group& group, const Origin& origin) {
  if (origin.script == nullptr || group.others.size() >= kOthers) return;
  const auto tells = [&](const Script& script) { return script.story == origin.script->story; };
  if (tells(group.script)) return;
  if (std::any_of(group.others.begin(), group.others.end(), [&](const auto& o) { return tells(o.script); })) return;
  group.others.push_back({*origin.script, origin.call});
}

/// Findings are one when nothing a kernel author would act on tells them apart.
bool same_kind(const Findings::Group& group, const Finding& other, const std::string& suspect) {
  const Finding& finding = group.finding;
  // A reference that fails on an extreme is another matter than one that fails on typical values.
  const bool one_of_a_kind = finding.check == finding.witness && finding.witness != "reference";
  const bool same_threat = finding.threat == other.threat || one_of_a_kind;
  return finding.check == other.check && finding.witness == other.witness && finding.subject == other.subject &&
         finding.severity == other.severity && same_threat && group.script.suspect == suspect;
}

}  // namespace

std::span<const WitnessInfo> witnesses() {
  return kWitnesses;
}

std::string check_of(const Observation& observation, const Script* script) {
  const bool by_calls = is(observation.witness, {"error", "classes", "relation"});
  return by_calls && script != nullptr ? script->check : observation.witness;
}

int simpler_checks(const std::string& id) {
  const std::optional<Check> check = find_check(id);
  if (!check || check->implied_by.empty()) return 0;
  return 1 + static_cast<int>(std::count(check->implied_by.begin(), check->implied_by.end(), ' '));
}

bool depends_on_history(const std::string& witness) {
  return is(witness, {"error", "classes", "relation"});
}

void Findings::add(const Observation& observation, const Origin& origin) {
  Finding finding = to_finding(observation, origin);
  const std::string suspect = depends_on_history(observation.witness) && origin.script ? origin.script->suspect : "";
  for (Group& group : groups_) {
    if (!same_kind(group, finding, suspect)) continue;
    ++group.finding.occurrences;
    keep_other_story(group, origin);
    group.finding.lifetime = std::min(group.finding.lifetime, finding.lifetime);
    return;
  }
  Group group;
  group.finding = std::move(finding);
  if (origin.script != nullptr) group.script = *origin.script;
  group.script.suspect = suspect;
  group.call = origin.call;
  group.session = origin.lifetime;
  group.convicts = observation.severity == Severity::error;
  groups_.push_back(std::move(group));
}

void Findings::settle() {
  merge_renamed();
  drop_implied();
  for (const Severity severity : {Severity::error, Severity::note}) settle(severity);
}

bool Findings::implied(const Group& group) const {
  if (group.finding.witness == "relation") return false;
  const std::optional<Check> check = find_check(group.finding.check);
  return check && std::any_of(groups_.begin(), groups_.end(), [&](const Group& other) {
           const bool shown = other.confirmed && other.finding.severity == Severity::error;
           return shown && names(check->implied_by, other.finding.check);
         });
}

void Findings::drop_implied() {
  std::vector<Group> kept;
  for (const Group& group : groups_) {
    if (!implied(group)) kept.push_back(group);
  }
  groups_ = std::move(kept);
}

/// Attribution may have given several groups the same name: they are one finding.
void Findings::merge_renamed() {
  std::vector<Group> merged;
  for (Group& group : groups_) {
    const auto twin = std::find_if(merged.begin(), merged.end(), [&](const Group& other) {
      return same_kind(other, group.finding, group.script.suspect);
    });
    if (twin == merged.end()) {
      merged.push_back(std::move(group));
      continue;
    }
    twin->finding.occurrences += group.finding.occurrences;
    twin->finding.lifetime = std::min(twin->finding.lifetime, group.finding.lifetime);
    twin->confirmed = twin->confirmed || group.confirmed;
    twin->tried = twin->tried || group.tried;
  }
  groups_ = std::move(merged);
}

void Findings::settle(Severity severity) {
  const auto historic = [&](const Group& g) {
    return depends_on_history(g.finding.witness) && g.finding.severity == severity;
  };
  const bool any =
      std::any_of(groups_.begin(), groups_.end(), [&](const Group& g) { return historic(g) && g.confirmed; });
  bool kept = false;
  std::erase_if(groups_, [&](Group& group) {
    if (!historic(group) || group.confirmed) return false;
    if (any || kept) return true;
    kept = true;
    if (!group.tried) return false;
    group.finding.message += "; alone in a fresh process the same calls are right, so it takes calls that came before";
    group.finding.evidence["reproduces_alone"] = false;
    return false;
  });
}

std::vector<Finding> Findings::numbered() const {
  std::vector<Finding> all;
  for (const Group& group : groups_) all.push_back(group.finding);
  std::stable_sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  for (std::size_t i = 0; i < all.size(); ++i) all[i].id = "f" + std::to_string(i + 1);
  return all;
}

}  // namespace assay
