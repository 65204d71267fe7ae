#include "judge/audit.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "core/error.h"
#include "judge/adequacy.h"
#include "judge/attribution.h"
#include "judge/observe.h"
#include "judge/rehearsal.h"
#include "judge/residue_watch.h"
#include "judge/runner.h"
#include "judge/shape_plan.h"
#include "timing/caches.h"
#include "verdict/decide.h"
#include "verdict/limits.h"

/// Theory of operation. The candidate is loaded first, only then is the seed drawn: nothing it does at load can know
/// what comes. Shapes are asked of the families, scripts of the checks, under each of the three lifetimes; every
/// session runs one shuffled queue in a fresh worker. What the witnesses object to is filed as findings. Findings that
/// depend on what came before are tried again, their script alone in a fresh worker: that names the calls that matter
/// and drops blame from checks whose calls merely came later. Findings, counts and doubts go to verdict/, which
/// decides.
namespace assay {
namespace {

constexpr std::array<Lifetime, 3> kLifetimes{Lifetime::serving, Lifetime::reused_buffers, Lifetime::fixed_address};

/// Scripts for each shape that production doesn't call, where each shape takes a worker of its own.
constexpr std::size_t kScriptsOfOtherShapes = 6;

/// Seconds that sessions of an audit may take by depth. Attribution and reports come on top.
constexpr std::array<double, 3> kSeconds{60.0, 600.0, 4 * 3600.0};

/// The check that a timed trial belongs to.
constexpr const char* kTimeCheck = "time";

/// Seconds that timing may take by depth: where the contract has a gate on speed, and where it has none.
struct TimingSeconds {
  double gated, free;
};
constexpr std::array<TimingSeconds, 3> kTimingSeconds{{{0.0, 0.0}, {12.0, 2.0}, {120.0, 60.0}}};

/// Shapes that are timed where the contract lists none.
constexpr std::size_t kDrawnTimed = 3;

/// Runs that making cases smaller may take on top, by depth: each costs the start of a worker.
constexpr std::array<int, 3> kShrinkTrials{16, 64, 1024};
constexpr int kDriverStart = 4;  ///< where a driver has to come up in a worker, its start costs so many times as much

Seed drawn_seed() {
  Seed seed;
  const ssize_t got = getrandom(seed.bytes.data(), seed.bytes.size(), 0);
  if (got != static_cast<ssize_t>(seed.bytes.size())) throw Error("the system gives no random numbers for the seed");
  return seed;
}

/// Choices of the plan. One-way from the seed: what a worker sees of them says nothing about the rest.
Random planner_random(const Seed& seed) {
  return Random(number_of(derive_key(seed, 0, "plan")));
}

class Audit {
 public:
  explicit Audit(const AuditRequest& request)
      : request_(request), contract_(request.contract), start_(std::chrono::steady_clock::now()) {}

  AuditReport run() {
    choose_checks();
    require_reference();
    if (!load_candidate()) return finish({});
    seed_ = request_.seed ? *request_.seed : drawn_seed();
    report_.run.seed = to_hex(seed_);
    Random random = planner_random(seed_);
    plan(random);
    const Generator generator(seed_, contract_.folder);
    Values values(contract_, generator, derive_key(seed_, 0, "gaps"));
    TruthSource truths(contract_, request_.reference ? &*request_.reference : nullptr, values, shapes_,
                       derive_key(seed_, 0, "reference"));
    report_.truth = truths.name();
    examine(truths);
    Patience patience(kSeconds[static_cast<std::size_t>(request_.depth)]);
    Bench bench{contract_,
                request_.candidate,
                shapes_,
                values,
                truths,
                ledger_,
                findings_,
                patience,
                request_.progress,
                static_cast<std::uint64_t>(decoy_limit_bytes())};
    run_sessions(bench, random);
    try_alone(bench);
    if (request_.only.empty()) rehearse_elsewhere(bench);
    if (const std::string why = no_speed(); !why.empty()) {
      report_.speed.untimed = why;
    } else {
      measure(bench);
    }
    return finish(truths.reference_failure());
  }

 private:
  /// A reference that doesn't load is no fault of the candidate's, and nothing could be judged.
  void require_reference() {
    if (!request_.reference) return;
    const auto worker = request_.reference->start(sandbox::Surroundings::usual);
    const auto loaded = worker->load();
    if (const auto* failure = std::get_if<LoadFailure>(&loaded)) {
      throw Error("the reference can't be used: " + failure_text(*failure), Exit::kUsage);
    }
    worker->end();
  }

  /// Everything that can be wrong with the file shows here, before a seed exists.
  bool load_candidate() {
    const auto worker = request_.candidate.start(sandbox::Surroundings::usual);
    const auto loaded = worker->load();
    if (const auto* failure = std::get_if<LoadFailure>(&loaded)) {
      findings_.add(load_failure(*failure), {});
      for (const Observation& o : attempts_seen(failure->attempts, "while it was loaded")) findings_.add(o, {});
      return false;
    }
    worker->end();
    return true;
  }

  void rehearse_elsewhere(Bench& bench) {
    Rehearsed rehearsed = rehearse(bench, next_secret());
    report_.elsewhere = std::move(rehearsed.rows);
    if (!rehearsed.note.empty()) report_.not_covered.push_back(std::move(rehearsed.note));
  }

  void plan(Random& random) {
    ShapePlan plan = plan_shapes(contract_, request_.candidate.entry, {request_.depth, request_.memory_bytes}, random);
    shapes_ = std::move(plan.shapes);
    report_.not_covered.insert(report_.not_covered.end(), plan.not_covered.begin(), plan.not_covered.end());
    note_missing_decoys();
    if (shapes_.empty()) throw Error(contract_.path + ": no shape of the domain can be called here", Exit::kUsage);
  }

  /// Larger tensors are filled once, not twice.
  std::int64_t decoy_limit_bytes() const { return request_.memory_bytes / 8; }

  /// Before anything is judged: under a contract that can't tell, no pass is worth its name.
  void examine(TruthSource& truths) {
    if (!request_.only.empty()) {
      report_.adequacy.reason = "only some checks were asked for";
      return;
    }
    const std::uint64_t key = number_of(derive_key(seed_, 0, "adequacy"));
    report_.adequacy = examine_adequacy(contract_, shapes_, truths, key);
    for (const std::string& why : report_.adequacy.inadequate) {
      doubts_.push_back("the contract is inadequate: " + why + "; 'assay inspect' says what would help");
    }
  }

  void note_missing_decoys() {
    const std::int64_t limit = decoy_limit_bytes();
    for (const ConcreteShape& shape : shapes_) {
      for (const ConcreteTensor& tensor : shape.tensors) {
        if (tensor.bytes <= limit) continue;
        report_.not_covered.push_back("shape " + to_string(shape.axes) + ": " + contract_.tensors[tensor.index].name +
                                      " is too large for a second slot, so work ahead of a call would not show there");
        break;
      }
    }
  }

  void note_left_out(std::size_t scripts) {
    if (scripts == 0) return;
    report_.not_covered.push_back(std::to_string(scripts) + " scripts of large calls were left out at depth " +
                                  std::string(info(request_.depth).name) + "; a deeper audit makes more of them");
  }

  void run_sessions(Bench& bench, Random& random) {
    std::vector<std::pair<SessionPlan, bool>> sessions;
    for (const Lifetime lifetime : kLifetimes) add_sessions(lifetime, random, sessions);
    std::int64_t calls = 0;
    std::size_t left_out = 0;
    for (const auto& [session, required] : sessions) {
      calls += session.calls();
      left_out += session.left_out;
      report_.run.fused_calls += static_cast<std::int64_t>(session.fused);
    }
    note_left_out(left_out);
    if (request_.progress) request_.progress->started(calls);
    std::size_t given_up = 0;
    for (const auto& [session, required] : sessions) {
      given_up += Runner(bench, session.lifetime, required, next_secret()).run(session.scripts);
    }
    note_given_up(given_up, bench.patience);
    if (request_.progress) request_.progress->finished();
  }

  /// What was planned and not run can't be passed. Where findings explain why, they decide.
  void note_given_up(std::size_t scripts, const Patience& patience) {
    if (scripts == 0) return;
    const std::string text =
        std::to_string(scripts) + " planned scripts were given up: " +
        (patience.late() ? "the time of this depth was over" : "the subject ended, hung or refused too often");
    report_.not_covered.push_back(text);
    doubts_.push_back(text);
  }

  /// The contract's own lifetime gets the whole effort; the others get what tells them apart.
  void add_sessions(Lifetime lifetime, Random& random, std::vector<std::pair<SessionPlan, bool>>& sessions) {
    const bool own = lifetime == contract_.lifetime;
    const Depth depth = own ? request_.depth : Depth::quick;
    const bool required = lifetime <= contract_.lifetime;
    if (lifetime != Lifetime::fixed_address) {
      const std::vector<ConcreteShape> shapes = own ? shapes_ : few_shapes(8);
      add_parts(planned(shapes, lifetime, depth, random), depth, required, sessions);
      return;
    }
    for (const ConcreteShape& shape : own ? shapes_ : few_shapes(2)) {
      // Each shape takes a worker of its own here: the full effort goes to those that production calls.
      const bool production = is_production(contract_, shape.axes);
      SessionPlan plan = planned({shape}, lifetime, production ? depth : Depth::quick, random);
      if (!production && request_.only.empty()) keep_few(plan);
      add_parts(std::move(plan), Depth::quick, required, sessions);
    }
  }

  SessionPlan planned(const std::vector<ConcreteShape>& shapes, Lifetime lifetime, Depth depth, Random& random) {
    SessionPlan plan = plan_session(contract_, shapes, lifetime, depth, checks_, Random(random()));
    fitting_.insert(plan.fitting.begin(), plan.fitting.end());
    return plan;
  }

  /// Scripts are shuffled: over many shapes every check has its turn.
  static void keep_few(SessionPlan& plan) {
    std::erase_if(plan.scripts, [](const Script& script) { return script.apart || script.disguise; });
    if (plan.scripts.size() > kScriptsOfOtherShapes) plan.scripts.resize(kScriptsOfOtherShapes);
  }

  /// Scripts that want a worker of their own get one, the others share `1 + depth`.
  static void add_parts(SessionPlan plan, Depth depth, bool required,
                        std::vector<std::pair<SessionPlan, bool>>& sessions) {
    const auto apart = std::stable_partition(plan.scripts.begin(), plan.scripts.end(),
                                             [](const Script& script) { return !script.apart && !script.disguise; });
    for (auto it = apart; it != plan.scripts.end(); ++it) {
      sessions.emplace_back(SessionPlan{plan.lifetime, {std::move(*it)}, 0, 0, {}}, required);
    }
    plan.scripts.erase(apart, plan.scripts.end());
    for (SessionPlan& part : split(std::move(plan), depth)) sessions.emplace_back(std::move(part), required);
  }

  /// The cheapest production shapes, else the first of the plan.
  std::vector<ConcreteShape> few_shapes(std::size_t count) const {
    std::vector<ConcreteShape> few = shapes_;
    std::stable_sort(few.begin(), few.end(), [&](const ConcreteShape& a, const ConcreteShape& b) {
      const bool pa = is_production(contract_, a.axes);
      const bool pb = is_production(contract_, b.axes);
      return pa != pb ? pa : a.total_bytes() < b.total_bytes();
    });
    few.resize(std::min(few.size(), count));
    return few;
  }

  /// A worker that is replaced at a place nobody can foresee: what was kept inside it is gone.
  static std::vector<SessionPlan> split(SessionPlan plan, Depth depth) {
    const auto parts = static_cast<std::size_t>(1 + static_cast<int>(depth));
    std::vector<SessionPlan> all(parts);
    for (SessionPlan& part : all) part.lifetime = plan.lifetime;
    all.front().left_out = plan.left_out;
    all.front().fused = plan.fused;
    for (std::size_t i = 0; i < plan.scripts.size(); ++i) {
      all[i * parts / plan.scripts.size()].scripts.push_back(std::move(plan.scripts[i]));
    }
    return all;
  }

  void try_alone(Bench& bench) {
    const std::shared_ptr<const Device>& device = request_.candidate.device;
    const int cost = device && device->info().asynchronous ? kDriverStart : 1;
    Attribution attribution(
        bench, [this] { return next_secret(); }, kShrinkTrials[static_cast<std::size_t>(request_.depth)] / cost);
    attribution.settle(findings_);
  }

  bool asked_for(const std::string& check) const { return checks_.empty() || checks_.contains(check); }

  /// Those that were asked for; empty: all.
  void choose_checks() {
    checks_ = request_.only;
    if (request_.without.empty()) return;
    for (const Check& check : Registry<Check>::all()) {
      if (request_.only.empty()) checks_.insert(std::string(check.id));
    }
    for (const std::string& id : request_.without) {
      if (checks_.erase(id) > 0) report_.not_covered.push_back("the check " + id + " was left out on request");
    }
    if (checks_.empty()) throw Error("--without leaves no check", Exit::kUsage);
  }

  /// Why no speed-up is measured; empty: it is.
  std::string no_speed() const {
    if (!asked_for(kTimeCheck)) return "only some checks were asked for";
    if (request_.depth == Depth::quick) return "quick does not decide speed";
    if (request_.candidate.device && request_.candidate.device->info().asynchronous) {
      return "speed is measured on processors only in this version";
    }
    if (!request_.nothing || (!request_.baseline && !request_.reference)) return "there is no baseline to compare with";
    const auto guilty = [](const Findings::Group& g) { return g.convicts && g.finding.severity == Severity::error; };
    const bool convicted = std::any_of(findings_.groups().begin(), findings_.groups().end(), guilty);
    return convicted ? "a kernel that breaks its contract isn't timed" : "";
  }

  /// Production's shapes, else the largest of those that were drawn; without what has no work to time.
  std::vector<const ConcreteShape*> timed_shapes() const {
    std::vector<const ConcreteShape*> timed;
    for (const ConcreteShape& shape : shapes_) {
      const bool wanted = contract_.shapes.empty() || is_production(contract_, shape.axes);
      if (wanted && shape.total_bytes() > 0) timed.push_back(&shape);
    }
    if (!contract_.shapes.empty()) return timed;
    std::stable_sort(timed.begin(), timed.end(), [](const ConcreteShape* a, const ConcreteShape* b) {
      return a->total_bytes() > b->total_bytes();
    });
    timed.resize(std::min(timed.size(), kDrawnTimed));
    return timed;
  }

  double timing_seconds() const {
    const auto& row = kTimingSeconds[static_cast<std::size_t>(request_.depth)];
    return asks_for_speed(contract_) ? row.gated : row.free;
  }

  void measure(Bench& bench) {
    const std::vector<const ConcreteShape*> shapes = timed_shapes();
    if (shapes.empty()) {
      report_.speed.untimed = "no shape has work to time";
      return;
    }
    const std::optional<timing::LastLevelCache> cache = timing::read_last_level_cache();
    const AuditSubject& baseline = request_.baseline ? *request_.baseline : *request_.reference;
    // Beside an oracle the reference would only say again what is right, at the price of a call.
    TruthSource truths(contract_, contract_.oracle ? nullptr : &*request_.reference, bench.values, shapes_,
                       next_secret());
    SpeedRequest speed{contract_, baseline, request_.candidate, *request_.nothing, bench.values,
                       truths,    shapes,   timing_seconds()};
    speed.processes = processes_for(shapes.size(), request_.campaign ? request_.campaign->alpha : timing::kAlpha);
    if (request_.campaign) speed.processes = std::max(speed.processes, request_.campaign->processes);
    speed.memory_bytes = static_cast<std::uint64_t>(request_.memory_bytes);
    speed.cache_bytes = cache ? cache->bytes : 0;
    speed.secret = next_secret();
    speed.progress = request_.progress;
    take(measure_speed(speed, request_.campaign), bench);
  }

  /// Facts about times become findings; a machine that can't tell is no fault of the candidate's.
  void take(Measured measured, Bench& bench) {
    Script script;
    script.check = kTimeCheck;
    script.threat = "C2";
    script.story = "timed bursts";
    for (const TimedObjection& o : measured.objections) {
      findings_.add(o.observation, {&script, 0, contract_.lifetime, true, "candidate"});
    }
    if (measured.candidate_end) findings_.add(ended_worker(*measured.candidate_end), {&script, 0, contract_.lifetime});
    for (const Observation& o : attempts_seen(measured.attempts, "while it was timed")) findings_.add(o, {});
    for (const TimedSuspicion& s : measured.suspicions) {
      const std::string where = s.shape.empty() ? "" : s.shape + ": ";
      findings_.add({kTimeCheck, "", s.suspicion.threat, s.severity, where + s.suspicion.message, s.suspicion.evidence},
                    {&script, 0, contract_.lifetime});
    }
    bench.ledger.called(script, measured.counts, measured.section.seconds);
    report_.speed = std::move(measured.section);
    report_.run.environment = std::move(measured.environment);
    speed_judged_ = true;
    missed_ = std::move(measured.missed);
    if (!asks_for_speed(contract_)) return note_unfit(measured.unfit);
    environment_.insert(environment_.end(), measured.unfit.begin(), measured.unfit.end());
    doubts_.insert(doubts_.end(), measured.open.begin(), measured.open.end());
  }

  void note_unfit(const std::vector<std::string>& unfit) {
    for (const std::string& why : unfit) report_.not_covered.push_back("speed: " + why);
  }

  StreamKey next_secret() { return derive_key(seed_, ++runners_, "runner"); }

  CheckResult result_of(const std::string& id, const std::string& family, const std::string& claim,
                        Counts counts) const {
    CheckResult result{id, family, claim, CheckOutcome::pass, {}, counts, ledger_.seconds_of(id), {}};
    for (const Finding& finding : report_.findings) {
      if (finding.check != id) continue;
      result.findings.push_back(finding.id);
      if (finding.severity == Severity::error) result.outcome = CheckOutcome::finding;
    }
    if (result.outcome != CheckOutcome::pass || counts.calls > 0) return result;
    const bool fits = fitting_.empty() || fitting_.contains(id) || id == kTimeCheck;
    result.outcome = fits ? CheckOutcome::inconclusive : CheckOutcome::unsupported;
    result.reason = fits ? "no call was made for it" : "nothing in this contract is of its kind";
    return result;
  }

  void fill_checks() {
    for (const Check& check : Registry<Check>::all()) {
      const std::string id(check.id);
      if (!asked_for(id)) continue;
      report_.checks.push_back(
          result_of(id, std::string(check.family), std::string(check.claim), ledger_.counts_of(id)));
    }
    for (const WitnessInfo& witness : witnesses()) {
      report_.checks.push_back(
          result_of(std::string(witness.id), "witness", std::string(witness.claim), ledger_.total()));
    }
  }

  void fill_lifetimes() {
    for (const Lifetime lifetime : kLifetimes) {
      LifetimeResult result;
      result.required = lifetime <= contract_.lifetime;
      result.calls = ledger_.calls_under(lifetime);
      result.outcome = result.calls > 0 ? CheckOutcome::pass : CheckOutcome::inconclusive;
      for (const Findings::Group& group : findings_.groups()) {
        if (group.finding.lifetime <= lifetime && group.convicts) result.outcome = CheckOutcome::finding;
      }
      report_.lifetimes[std::string(name_of(lifetime))] = result;
    }
  }

  /// Medians of single checked calls, beside what was timed on purpose.
  void add_single_calls() {
    for (const SpeedRow& single : ledger_.speed(contract_)) {
      auto& rows = report_.speed.shapes;
      const auto row =
          std::find_if(rows.begin(), rows.end(), [&](const SpeedRow& r) { return r.shape == single.shape; });
      if (row == rows.end()) {
        rows.push_back(single);
        continue;
      }
      row->calls = single.calls;
      row->reference_s = single.reference_s;
      row->candidate_s = single.candidate_s;
    }
  }

  AuditReport finish(const std::string& reference_failure) {
    report_.run.calls = ledger_.total().calls;
    report_.findings = findings_.numbered();
    fill_checks();
    fill_lifetimes();
    if (request_.depth == Depth::quick && asks_for_speed(contract_)) {
      report_.not_covered.push_back("the contract's minimum speed-up: quick does not decide speed");
    }
    for (std::string& limit : standing_limits(ledger_.total().calls, speed_judged_))
      report_.not_covered.push_back(std::move(limit));
    report_.numerics = ledger_.numerics();
    add_single_calls();
    if (!reference_failure.empty()) environment_.push_back("the reference can't be used: " + reference_failure);
    Decision decision = decide({&contract_, report_.findings, report_.checks, ledger_.total(), environment_,
                                request_.depth, doubts_, missed_, speed_judged_});
    report_.verdict = decision.verdict;
    report_.reasons = std::move(decision.reasons);
    report_.run.depth = std::string(info(request_.depth).name);
    report_.run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return std::move(report_);
  }

  const AuditRequest& request_;
  const Contract& contract_;
  std::chrono::steady_clock::time_point start_;
  AuditReport report_;
  Seed seed_;
  std::set<std::string> checks_;
  std::set<std::string> fitting_;  ///< of them, those that the contract gives something to do; empty: not planned yet
  std::uint64_t runners_ = 0;
  Ledger ledger_;
  Findings findings_;
  std::vector<ConcreteShape> shapes_;
  std::vector<std::string> environment_, doubts_, missed_;
  bool speed_judged_ = false;
};

}  // namespace

AuditReport audit(const AuditRequest& request) {
  return Audit(request).run();
}

}  // namespace assay
