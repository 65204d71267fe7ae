#include "judge/runner.h"

#include <algorithm>
#include <chrono>

#include "core/error.h"

namespace assay {
namespace {

/// Workers that may die in one run before the rest of its scripts is given up.
constexpr int kDeaths = 3;
/// Wrong outputs that are read again later, per run: each costs some milliseconds.
constexpr int kLingers = 6;
/// How often the whole state of the process is read besides the end of a session.
constexpr double kWholeResidue = 0.02;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::variant<std::unique_ptr<Session>, LoadFailure> open_session(const Contract& contract, const AuditSubject& subject,
                                                                 Values& values,
                                                                 const std::vector<ConcreteShape>& shapes,
                                                                 const SessionOptions& options) {
  std::unique_ptr<Worker> worker = subject.start();
  std::variant<Loaded, LoadFailure> loaded = worker->load();
  if (auto* failure = std::get_if<LoadFailure>(&loaded)) return std::move(*failure);
  return std::make_unique<Session>(contract, subject.entry, std::move(worker), std::get<Loaded>(loaded), values, shapes,
                                   options);
}

Runner::Runner(Bench& bench, Lifetime lifetime, bool required, const StreamKey& secret)
    : bench_(bench), lifetime_(lifetime), required_(required), secret_(secret), random_(secret.stream[0]) {}

void Runner::file(const Observation& observation, const Script* script, std::size_t call) {
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
  options.secret = derive_key(secret_, ++sessions_, "session");
  auto opened = open_session(bench_.contract, bench_.candidate, bench_.values, bench_.shapes, options);
  if (const auto* failure = std::get_if<LoadFailure>(&opened)) {
    file(load_failure(*failure), nullptr, 0);
    deaths_ = kDeaths;
    return false;
  }
  session_ = std::get<std::unique_ptr<Session>>(std::move(opened));
  watch_.emplace(bench_.contract, session_->full_residue());
  return true;
}

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
  answers_.clear();
  session_->begin_script(script.recycles);
  Residue middle;
  for (std::size_t i = 0; i < script.calls.size() && session_->alive(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    const CallFacts facts = session_->perform(shape_of(script.calls[i]), script.calls[i]);
    judge_and_file(script, i, facts);
    if (filing_) bench_.ledger.called(script, {}, seconds_since(start));
    if (script.soak && i == script.calls.size() / 2) middle = session_->full_residue();
  }
  if (session_->alive()) check_relations(script);
  if (session_->alive() && script.soak) {
    const auto calls = static_cast<std::int64_t>(script.calls.size() - script.calls.size() / 2 - 1);
    for (const Observation& o : watch_->growth(middle, session_->full_residue(), calls))
      file(o, &script, script.calls.size() - 1);
  }
  if (session_->alive() && random_.chance(kWholeResidue)) {
    for (const Observation& o : watch_->whole(session_->full_residue())) file(o, nullptr, 0);
  }
  session_->end_script();
}

void Runner::judge_and_file(const Script& script, std::size_t call, const CallFacts& facts) {
  const CallPlan& plan = script.calls[call];
  const ConcreteShape& shape = shape_of(plan);
  if (const auto* ended = std::get_if<Ended>(&facts.outcome)) bench_.patience.ended(*ended);
  const CallTruth& truth = bench_.truths.of(shape, plan);
  Judged judged = judge_call(bench_.contract, bench_.candidate.entry, shape, plan, facts, truth);
  if (judged.outputs_suspect && session_->alive() && ++lingers_ <= kLingers) {
    const std::vector<Observation> late =
        late_changes(bench_.contract, bench_.candidate.entry, shape, facts, session_->outputs_later());
    // What a late thread finishes is no unwritten or wrong output: the fault is that it was late.
    if (!late.empty()) judged.observations = late;
  }
  if (judged.refused) bench_.patience.refused();
  for (const Observation& o : judged.observations) file(o, &script, call);
  for (const Observation& o : attempts_seen(facts.attempts)) file(o, &script, call);
  if (session_->alive()) {
    for (const Observation& o : watch_->after_call(facts.residue)) file(o, &script, call);
  }
  const bool wrong = judged.outputs_suspect || !std::holds_alternative<Returned>(facts.outcome);
  answers_.push_back(wrong ? std::nullopt : std::optional(facts.outputs));
  if (!filing_) return;
  bench_.ledger.called(script, judged.counts, 0.0);
  for (const NumericsRow& row : judged.rows) bench_.ledger.errors(row);
  if (const auto* returned = std::get_if<Returned>(&facts.outcome)) {
    bench_.ledger.timed("candidate", to_string(shape.axes), returned->wall_ns);
  }
  if (truth.reference_wall_ns) bench_.ledger.timed("reference", to_string(shape.axes), *truth.reference_wall_ns);
  bench_.ledger.session(lifetime_, 1);
  // What special values do says nothing about a shape.
  if (judged.counts.elements > 0 && is_plain(plan))
    bench_.ledger.outcome(to_string(shape.axes), !judged.outputs_suspect);
  if (bench_.progress) bench_.progress->advanced(bench_.ledger.total().calls, script.check);
}

void Runner::check_relations(const Script& script) {
  for (const Relation& relation : script.relations) {
    if (std::max(relation.first, relation.second) >= answers_.size()) continue;
    if (!answers_[relation.first] || !answers_[relation.second]) continue;
    const ConcreteShape& shape = shape_of(script.calls[relation.second]);
    for (const Observation& o : broken_relation(bench_.contract, shape, script, relation, *answers_[relation.first],
                                                *answers_[relation.second])) {
      file(o, &script, relation.second);
    }
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
