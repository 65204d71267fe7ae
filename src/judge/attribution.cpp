#include "judge/attribution.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "verdict/advice.h"

namespace assay {
namespace {

/// Findings of each severity that are looked into, at most: each costs a worker or two.
constexpr int kErrors = 32;
constexpr int kNotes = 4;

Script only_call(const Findings::Group& group) {
  Script script = group.script;
  script.calls = {group.script.calls.at(group.call)};
  script.calls.front().repeats = 1;
  script.calls.front().beside = false;
  script.calls.front().stress = Stress::none;
  script.relations.clear();
  script.soak = script.disguise = false;
  return script;
}

Script plain_call(const Findings::Group& group) {
  Script script = only_call(group);
  script.calls.front() = plain(std::move(script.calls.front()));
  return script;
}

/// Calls beyond this make a report long and a replay slow: the audit is repeated instead.
constexpr std::size_t kCallsKept = 256;

/// What wasn't tried alone is replayed as it was seen.
void keep_calls(Findings::Group& group) {
  const std::size_t calls = group.script.calls.size();
  if (group.finding.repro || calls == 0 || calls > kCallsKept || group.call >= calls) return;
  if (depends_on_history(group.finding.witness) && !group.confirmed) return;
  group.finding.repro = Case{group.session, group.script, group.call};
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
  for (Findings::Group& group : findings.groups()) keep_calls(group);
}

void Attribution::look_into(Findings& findings, Severity severity, int most) {
  // The checks that change least first: what they show needs no other name, and there is no time to try everything.
  std::vector<Findings::Group*> order;
  for (Findings::Group& group : findings.groups()) order.push_back(&group);
  std::stable_sort(order.begin(), order.end(), [](const Findings::Group* a, const Findings::Group* b) {
    return simpler_checks(a->finding.check) < simpler_checks(b->finding.check);
  });
  for (Findings::Group* group : order) {
    if (group->finding.severity != severity || group->script.calls.empty() || findings.implied(*group)) continue;
    const bool crash = group->finding.threat == "B21";
    if (!crash && !depends_on_history(group->finding.witness)) continue;
    if (most-- <= 0 || bench_.patience.spent()) return;
    group->tried = true;
    crash ? tell_input_write(*group) : attribute(*group);
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
  std::optional<Observation> lone = relation ? std::nullopt : objection(group, only_call(group));
  if (lone) {
    group.confirmed = true;
    // Wrong all by itself, whatever a caller reuses.
    group.finding.lifetime = Lifetime::fixed_address;
    if (takes_the_choice(group)) return make_small(group, {only_call(group), 0, std::move(*lone)});
    const bool by_shape = bench_.ledger.other_shapes_are_right(group.finding.shape);
    const bool classes = group.finding.witness == "classes";
    make_small(group, {only_call(group), 0, std::move(*lone)});
    // What makes a lone call wrong everywhere (precision, skipped work, a constant) isn't told apart here.
    rename(group, by_shape ? "shapes" : group.finding.witness, by_shape ? "C1" : classes ? "C11" : "");
    return;
  }
  // Wrong in one of the two processes has nothing to do with what tells them apart: others may explain it.
  if (group.script.disguise && !relation) return;
  if (group.script.apart || group.script.disguise) {
    // It already ran alone in a fresh process, and what needs luck to show may not show twice.
    group.confirmed = true;
    return;
  }
  std::vector<Findings::Sighting> sightings{{group.script, group.call}};
  sightings.insert(sightings.end(), group.others.begin(), group.others.end());
  for (Findings::Sighting& seen : sightings) {
    std::optional<Observation> alone = objection(group, seen.script);
    if (!alone) continue;
    group.confirmed = true;
    return make_small(group, {std::move(seen.script), seen.call, std::move(*alone)});
  }
}

/// A case alone in a fresh process is the purer evidence, since nothing else came before it; a small one the clearer.
void Attribution::make_small(Findings::Group& group, FailingCase from) {
  Finding& finding = group.finding;
  // Half of what is left: findings that come first are the likelier causes, but the others have their turn.
  int left = shrink_trials_ / 2;
  shrink_trials_ -= left;
  const FailingCase small = shrink(
      bench_.contract, bench_.candidate.entry, std::move(from), bench_.shapes,
      [&](const Script& script) {
        --left;
        return objection(group, script);
      },
      [&] { return left > 0 && !bench_.patience.spent(); });
  shrink_trials_ += left;
  group.script = small.script;
  group.call = small.call;
  finding.message = small.script.story + ": " + small.observation.message;
  const std::size_t calls = small.script.calls.size();
  finding.call = calls == 1 ? "one call, alone in a fresh process"
                            : "the " + std::to_string(calls) + " calls of one script, alone in a fresh process";
  for (const auto& [key, value] : small.observation.evidence) finding.evidence[key] = value;
  finding.evidence["reproduces_alone"] = true;
  if (!group.script.suspect.empty()) finding.evidence["suspect"] = group.script.suspect;
  const std::string shape = to_string(small.script.calls.at(small.call).axes);
  finding.repro = Case{group.session, small.script, small.call};
  if (shape != finding.shape) finding.evidence["first_seen_at"] = std::exchange(finding.shape, shape);
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
