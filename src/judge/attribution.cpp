#include "judge/attribution.h"

#include <algorithm>

#include "verdict/advice.h"

namespace assay {
namespace {

/// Findings of each severity that are looked into, at most: each costs a worker or two.
constexpr int kErrors = 12;
constexpr int kNotes = 4;

Script only_call(const Findings::Group& group) {
  Script script = group.script;
  script.calls = {group.script.calls.at(group.call)};
  script.relations.clear();
  script.soak = false;
  return script;
}

Script plain_call(const Findings::Group& group) {
  Script script = only_call(group);
  script.calls.front() = plain(std::move(script.calls.front()));
  return script;
}

void rename(Findings::Group& group, const std::string& check, const std::string& threat) {
  group.finding.check = check;
  group.finding.threat = threat;
  group.finding.advice = std::string(advice_for(group.finding.witness, check));
  group.script.suspect.clear();
}

}  // namespace

void Attribution::settle(Findings& findings) {
  look_into(findings, Severity::error, kErrors);
  look_into(findings, Severity::note, kNotes);
  findings.settle();
}

void Attribution::look_into(Findings& findings, Severity severity, int most) {
  for (Findings::Group& group : findings.groups()) {
    if (group.finding.severity != severity || group.script.calls.empty()) continue;
    const bool crash = group.finding.threat == "B21";
    if (!crash && !depends_on_history(group.finding.witness)) continue;
    if (most-- <= 0 || bench_.patience.spent()) return;
    group.tried = true;
    crash ? tell_input_write(group) : attribute(group);
  }
}

std::optional<Observation> Attribution::objection(const Findings::Group& group, const Script& script) {
  Runner runner(bench_, group.session, true, next_secret_());
  const std::vector<Observation> seen = runner.alone(script);
  const auto it =
      std::find_if(seen.begin(), seen.end(), [&](const Observation& o) { return o.witness == group.finding.witness; });
  return it == seen.end() ? std::nullopt : std::optional(*it);
}

/// Whether the call is right once the values and places that its check chose are left to chance.
bool Attribution::takes_the_choice(const Findings::Group& group) {
  return !is_plain(group.script.calls.at(group.call)) && !objection(group, plain_call(group));
}

void Attribution::attribute(Findings::Group& group) {
  const bool relation = group.finding.witness == "relation";
  if (!relation && objection(group, only_call(group))) {
    group.confirmed = true;
    group.finding.evidence["reproduces_alone"] = true;
    if (takes_the_choice(group)) {
      group.finding.message = group.script.story + ": " + group.finding.message;
      if (!group.script.suspect.empty()) group.finding.evidence["suspect"] = group.script.suspect;
      return;
    }
    const bool by_shape = bench_.ledger.other_shapes_are_right(group.finding.shape);
    const bool classes = group.finding.witness == "classes";
    // What makes a lone call wrong everywhere (precision, skipped work, a constant) isn't told apart here.
    rename(group, by_shape ? "shapes" : group.finding.witness, by_shape ? "C1" : classes ? "C11" : "");
    return;
  }
  const std::optional<Observation> alone = objection(group, group.script);
  group.confirmed = alone.has_value();
  if (!alone) return;
  // The script alone is the purer evidence: nothing else came before it.
  group.finding.message = group.script.story + ": " + alone->message;
  group.finding.call =
      "the " + std::to_string(group.script.calls.size()) + " calls of one script, alone in a fresh process";
  for (const auto& [key, value] : alone->evidence) group.finding.evidence[key] = value;
  if (!group.script.suspect.empty()) group.finding.evidence["suspect"] = group.script.suspect;
}

void Attribution::tell_input_write(Findings::Group& group) {
  Runner runner(bench_, group.session, true, next_secret_());
  const std::vector<Observation> seen = runner.alone(only_call(group), true);
  const auto change =
      std::find_if(seen.begin(), seen.end(), [](const Observation& o) { return o.witness == "inputs"; });
  if (change == seen.end()) return;
  group.finding.witness = change->witness;
  group.finding.message = change->message;
  group.finding.evidence.insert(change->evidence.begin(), change->evidence.end());
  rename(group, change->witness, change->threat);
}

}  // namespace assay
