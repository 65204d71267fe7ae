#include "judge/runner.h"

#include "judge/appearance.h"

#include "judge/relations.h"

#include <algorithm>
#include <chrono>

#include "core/error.h"
#include "judge/traces.h"

namespace assay {
namespace {

/// Workers that may die in one run before the rest of its scripts is given up.
constexpr int kDeaths = 3;
/// Wrong outputs that are read again later, per run: each costs some milliseconds.
constexpr int kLingers = 6;
/// How often the whole state of the process is read besides the end of a session.
constexpr double kWholeResidue = 0.02;
/// Readings of what is left over the second half of a soaking script, at equal distances.
constexpr std::size_t kReadings = 5;

constexpr const char* kAtLoad = "while it was loaded";
constexpr const char* kElsewhere = " (in a process with another user, name, folder and environment)";

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::variant<std::unique_ptr<Session>, LoadFailure> open_session(const Contract& contract, const AuditSubject& subject,
                                                                 Values& values,
                                                                 const std::vector<ConcreteShape>& shapes,
                                                                 const SessionOptions& options) {
  std::unique_ptr<Worker> worker = subject.start(options.surroundings);
  std::variant<Loaded, LoadFailure> loaded = worker->load();
  if (auto* failure = std::get_if<LoadFailure>(&loaded)) return std::move(*failure);
  SessionOptions here = options;
  here.device = subject.device.get();
  return std::make_unique<Session>(contract, subject.entry, std::move(worker), std::get<Loaded>(loaded), values, shapes,
                                   here);
}

Runner::Runner(Bench& bench, Lifetime lifetime, bool required, const StreamKey& secret)
    : bench_(bench), lifetime_(lifetime), required_(required), secret_(secret), random_(secret.stream[0]) {}

void Runner::file(Observation observation, const Script* script, std::size_t call) {
  if (surroundings_ == sandbox::Surroundings::disguised) observation.message += kElsewhere;
  if (!filing_) {
    unfiled_.push_back(observation);
    return;
  }
  bench_.findings.add(observation, {script, call, lifetime_, required_, "candidate"});
}

bool Runner::ensure_session() {
  if (session_ && session_->alive()) return true;
  if (session_) ++deaths_;
  session_.reset();
  if (deaths_ >= kDeaths) return false;
  SessionOptions options;
  options.lifetime = lifetime_;
  options.decoy_limit_bytes = bench_.decoy_limit_bytes;
  options.deadline_s = bench_.deadline_s;
  options.writable_inputs = writable_inputs_;
  options.surroundings = surroundings_;
  options.secret = derive_key(secret_, ++sessions_, "session");
  auto opened = open_session(bench_.contract, bench_.candidate, bench_.values, bench_.shapes, options);
  if (const auto* failure = std::get_if<LoadFailure>(&opened)) {
    file(load_failure(*failure), nullptr, 0);
    for (const Observation& o : attempts_seen(failure->attempts, kAtLoad)) file(o, nullptr, 0);
    deaths_ = kDeaths;
    return false;
  }
  session_ = std::get<std::unique_ptr<Session>>(std::move(opened));
  const bool driver = bench_.candidate.device && bench_.candidate.device->info().asynchronous;
  watch_.emplace(bench_.contract, session_->full_residue(), driver);
  for (const Observation& o : attempts_seen(session_->attempts_at_load(), kAtLoad)) file(o, nullptr, 0);
  return true;
}

/// Naming asks the oracle a few times more.
constexpr std::int64_t kNamedBytes = 4LL << 20;

std::size_t Runner::run(const std::vector<Script>& scripts) {
  std::size_t done = 0;
  while (done < scripts.size() && !bench_.patience.exhausted() && ensure_session()) run_script(scripts[done++]);
  finish_session();
  return scripts.size() - done;
}

void Runner::finish_session() {
  if (session_ && session_->alive()) {
    for (const Observation& o : watch_->whole(session_->full_residue())) file(o, nullptr, 0);
  }
  session_.reset();
}

const ConcreteShape& Runner::shape_of(const CallPlan& plan) const {
  const auto it = std::find_if(bench_.shapes.begin(), bench_.shapes.end(),
                               [&](const ConcreteShape& shape) { return shape.axes == plan.axes; });
  if (it == bench_.shapes.end()) throw Error("internal: a check called a shape that is not in the plan");
  return *it;
}

void Runner::run_script(const Script& script) {
  if (script.disguise) return run_disguised(script);
  run_calls(script);
  if (session_->alive()) check_relations(script);
  if (session_->alive() && script.soak) {
    for (const Observation& o : watch_->growth(readings_)) file(o, &script, script.calls.size() - 1);
  }
  if (session_->alive() && random_.chance(kWholeResidue)) {
    for (const Observation& o : watch_->whole(session_->full_residue())) file(o, nullptr, 0);
  }
  session_->end_script();
}

/// True `kReadings` times over the second half, for the first time in the middle and for the last time at the end.
bool reading_is_due(const Script& script, std::size_t made, std::size_t readings) {
  const std::size_t first = script.calls.size() / 2 + 1;
  return script.soak && readings < kReadings &&
         made >= first + (script.calls.size() - first) * readings / (kReadings - 1);
}

void Runner::run_calls(const Script& script) {
  answers_.clear();
  readings_.clear();
  made_ = 0;
  session_->begin_script(script.recycles);
  for (std::size_t i = 0; i < script.calls.size() && session_->alive();) {
    const auto start = std::chrono::steady_clock::now();
    i += make(script, i);
    if (filing_) bench_.ledger.called(script, {}, seconds_since(start));
    if (session_->alive() && reading_is_due(script, i, readings_.size())) {
      readings_.push_back({made_, session_->full_residue()});
    }
  }
}

std::size_t Runner::make(const Script& script, std::size_t call) {
  const CallPlan& plan = script.calls[call];
  watch_->called(plan.axes);
  const bool paired = call + 1 < script.calls.size() && script.calls[call + 1].beside;
  if (paired) {
    if (const auto facts = session_->perform_together(shape_of(plan), plan, script.calls[call + 1])) {
      judge_and_file(script, call, facts->front(), false);
      judge_and_file(script, call + 1, facts->back(), false);
      return 2;
    }
  }
  judge_and_file(script, call, session_->perform(shape_of(plan), plan), plan.stress == Stress::none);
  return 1;
}

/// A fresh worker with the same secret as the one before: places, poison and all else that is chosen are equal.
void Runner::open_apart(sandbox::Surroundings surroundings) {
  session_.reset();
  surroundings_ = surroundings;
  sessions_ = 0;
  ensure_session();
}

void Runner::run_disguised(const Script& script) {
  open_apart(sandbox::Surroundings::usual);
  if (session_) run_calls(script);
  const std::vector<std::optional<std::vector<Bytes>>> usual = std::move(answers_);
  const bool whole = session_ && session_->alive() && usual.size() == script.calls.size();
  if (whole) open_apart(sandbox::Surroundings::disguised);
  if (whole && session_) run_calls(script);
  for (std::size_t i = 0; whole && session_ && i < answers_.size(); ++i) {
    if (!usual[i] || !answers_[i]) continue;
    const Relation relation{RelationKind::same_bits, i, i};
    for (const Observation& o :
         broken_relation(bench_.contract, shape_of(script.calls[i]), script, relation, {*usual[i], *answers_[i]})) {
      file(o, &script, i);
    }
  }
  session_.reset();
  surroundings_ = sandbox::Surroundings::usual;
}

void Runner::judge_and_file(const Script& script, std::size_t call, const CallFacts& facts, bool on_its_own) {
  const CallPlan& plan = script.calls[call];
  const ConcreteShape& shape = shape_of(plan);
  const auto* returned = std::get_if<Returned>(&facts.outcome);
  made_ += returned ? returned->made : 1;
  if (!returned) bench_.patience.ended(std::get<Ended>(facts.outcome));
  const CallTruth& truth = bench_.truths.of(shape, plan);
  Judged judged = judge_call(bench_.contract, bench_.candidate.entry, shape, plan, facts, truth);
  if (judged.outputs_suspect && on_its_own && session_->alive() && ++lingers_ <= kLingers) {
    const std::vector<Observation> late =
        late_changes(bench_.contract, bench_.candidate.entry, shape, facts, session_->outputs_later());
    // What a late thread finishes is no unwritten or wrong output: the fault is that it was late.
    if (!late.empty()) judged.observations = late;
  }
  if (returned) look_for_traces(shape, plan, facts, truth, judged);
  if (judged.refused) bench_.patience.refused();
  for (const Observation& o : judged.observations) file(o, &script, call);
  file_residue(script, call, facts, on_its_own);
  const bool wrong = judged.outputs_suspect || !returned;
  answers_.push_back(wrong ? std::nullopt : std::optional(facts.outputs));
  if (filing_) count(script, plan, judged, facts);
  if (filing_ && on_its_own && plan.repeats == 1 && truth.reference_wall_ns) {
    bench_.ledger.timed("reference", to_string(shape.axes), *truth.reference_wall_ns);
  }
}

/// In calls that are made for it; and once where errors exceed the bound, to say what they look like.
void Runner::look_for_traces(const ConcreteShape& shape, const CallPlan& plan, const CallFacts& facts,
                             const CallTruth& truth, Judged& judged) {
  const auto beyond_bound = [](const Observation& o) {
    const auto leg = o.evidence.find("leg");
    return o.witness == "error" && leg != o.evidence.end() && leg->second == EvidenceValue(std::string("bound"));
  };
  const auto fault = std::find_if(judged.observations.begin(), judged.observations.end(), beyond_bound);
  const bool name = filing_ && !named_ && fault != judged.observations.end() && shape.total_bytes() <= kNamedBytes;
  if (!plan.traced && !name) return;
  const std::vector<TracedPrecision> found = trace_precision(bench_.contract, shape, plan, facts, truth, bench_.truths);
  if (name) {
    named_ = true;
    const auto looks = found.empty()
                           ? appearance(bench_.contract, shape, plan, fault->tensor, facts, truth, bench_.truths)
                           : std::optional(found.front());
    if (looks) say_what_it_looks_like(*fault, *looks);
  }
  for (const TracedPrecision& each : found) {
    if (plan.traced) judged.observations.push_back(traced(bench_.contract, each));
  }
}

void Runner::file_residue(const Script& script, std::size_t call, const CallFacts& facts, bool on_its_own) {
  for (const Observation& o : attempts_seen(facts.attempts)) file(o, &script, call);
  // Threads of the worker's own that ran beside the call may still be on their way out.
  if (!session_->alive() || !on_its_own) return;
  for (const Observation& o : watch_->after_call(facts.residue)) file(o, &script, call);
  const auto* returned = std::get_if<Returned>(&facts.outcome);
  if (!returned) return;
  for (const Observation& o : watch_->processor_time(*returned)) file(o, &script, call);
}

void Runner::count(const Script& script, const CallPlan& plan, const Judged& judged, const CallFacts& facts) {
  const std::string shape = to_string(plan.axes);
  bench_.ledger.called(script, judged.counts, 0.0);
  if (!script.serves.empty() && &plan == &script.calls.front()) bench_.ledger.served(script.serves, judged.counts);
  for (const NumericsRow& row : judged.rows) bench_.ledger.errors(row);
  const auto* returned = std::get_if<Returned>(&facts.outcome);
  const bool plain = plan.repeats == 1 && plan.stress == Stress::none && !script.apart;
  if (returned && plain) bench_.ledger.timed("candidate", shape, returned->wall_ns);
  bench_.ledger.session(lifetime_, 1);
  // What special values do says nothing about a shape.
  if (judged.counts.elements > 0 && is_plain(plan)) bench_.ledger.outcome(shape, !judged.outputs_suspect);
  if (bench_.progress) bench_.progress->advanced(bench_.ledger.total().calls, "calls: " + script.check);
}

std::vector<Observation> Runner::broken(const Script& script, const Relation& relation) {
  const CallPlan& first = script.calls[relation.first];
  const CallPlan& second = script.calls[relation.second];
  const ConcreteShape& shape = shape_of(second);
  const std::vector<Bytes>&a = *answers_[relation.first], &b = *answers_[relation.second];
  if (relation.kind == RelationKind::same_bits)
    return broken_relation(bench_.contract, shape, script, relation, {a, b});
  const CallTruth one = bench_.truths.of(shape, first);
  const CallTruth& other = bench_.truths.of(shape, second);
  if (relation.kind == RelationKind::other_draws)
    return same_draws(bench_.contract, shape, script, {a, b}, {one.reference, other.reference});
  return not_by_power_of_two(bench_.contract, shape, script, {a, b}, one, other);
}

void Runner::check_relations(const Script& script) {
  for (const Relation& relation : script.relations) {
    if (std::max(relation.first, relation.second) >= answers_.size()) continue;
    if (!answers_[relation.first] || !answers_[relation.second]) continue;
    for (const Observation& o : broken(script, relation)) file(o, &script, relation.second);
  }
}

std::vector<Observation> Runner::alone(const Script& script, bool writable_inputs) {
  filing_ = false;
  writable_inputs_ = writable_inputs;
  unfiled_.clear();
  session_.reset();
  deaths_ = 0;
  if (ensure_session()) run_script(script);
  session_.reset();
  filing_ = true;
  return std::move(unfiled_);
}

}  // namespace assay
