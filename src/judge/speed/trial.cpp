#include "judge/speed/trial.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/error.h"
#include "protocol/record.h"
#include "timing/distribution.h"

namespace assay {
namespace {

constexpr double kTargetBurst = 2.5e-3;             ///< seconds: long against wake-ups and their noise
constexpr double kLeastCall = 2e-8;                 ///< seconds: less can't be told from nothing
constexpr std::uint64_t kSlotBytes = 96ULL << 20;   ///< of one subject's slots
constexpr std::uint64_t kPoolBytes = 384ULL << 20;  ///< of all shapes' values
constexpr std::int64_t kMostCalls = 256;            ///< of a burst: shorter calls are call-bound anyway
constexpr int kCalibrations = 9;
constexpr int kAlone = 3;                ///< bursts of the baseline alone, before and after
constexpr double kProcessStart = 0.03;   ///< seconds for both workers of a pair
constexpr double kTurn = 1.5e-4;         ///< seconds of the judge per turn
constexpr double kMostOverBudget = 4.0;  ///< what more than fills the time so many times over is left out
constexpr double kShareOfPairs = 0.3;    ///< of the time; the control, first calls and truths take the rest
constexpr double kMostWaited = 0.03;     ///< of a burst's time, for a processor that somebody else has
constexpr std::size_t kMostAgain = 2;    ///< rounds at most, in multiples of what was planned
constexpr double kRoundedUp = 1.000001;  ///< so that a sum isn't above itself
constexpr double kNormalIqr = 1.349;     ///< interquartile range of a normal distribution over its deviation

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::int64_t set_bytes(const ConcreteShape& shape) {
  return std::max<std::int64_t>(shape.total_bytes(), 1);
}

double weight_of(const Contract& contract, const ConcreteShape& shape) {
  for (const ProductionShape& production : contract.shapes) {
    if (production.axes == shape.axes) return production.weight;
  }
  return 1.0;
}

std::vector<std::size_t> draw_params(const Contract& contract, Random& random) {
  std::vector<std::size_t> params;
  for (const Param& param : contract.params) params.push_back(random.below(param.values.size()));
  return params;
}

}  // namespace

/// Both stands of a pair of processes, and what they gave so far.
struct SpeedTrial::Pair {
  Stand baseline;
  std::optional<Stand> candidate;
  ProcessPair result;
  std::vector<std::size_t> next_value;  ///< by shape: no process meets the same values twice

  bool swapped = false;

  SlotSet& slots_of(timing::Who who, std::vector<std::unique_ptr<SlotSet>>& both) const {
    return *both[(who == timing::Who::candidate) != swapped ? 1 : 0];
  }
  Stand* side(timing::Who who) { return who == timing::Who::baseline ? &baseline : candidate ? &*candidate : nullptr; }
};

SpeedTrial::SpeedTrial(const SpeedRequest& request)
    : request_(request),
      random_(number_of(derive_key(request.secret, 0, "trial"))),
      null_(request.nothing, request.candidate.entry.args.size()) {
  const std::uint64_t each =
      std::min(kPoolBytes, request.memory_bytes / 4) / std::max<std::size_t>(1, request.shapes.size());
  for (const ConcreteShape* shape : request.shapes) {
    pools_.emplace_back(request.contract, request.candidate.entry, *shape, request.values, request.truths, random_(),
                        each);
    ShapeSchedule schedule;
    schedule.timed.shape = shape;
    schedule.timed.pool = &pools_.back();
    schedules_.push_back(schedule);
  }
}

void SpeedTrial::calibrate_null() {
  std::vector<double> walls, singles;
  for (int i = 0; i < 4 * kCalibrations; ++i) {
    walls.push_back(null_.run(16).wall_s);
    singles.push_back(null_.run(1).wall_s);
  }
  null_s_ = timing::median(walls);
  null_single_s_ = timing::median(singles);
  null_spread_s_ = (timing::quantile(walls, 0.75) - timing::quantile(walls, 0.25)) / kNormalIqr;
}

void SpeedTrial::plan() {
  calibrate_null();
  Stand baseline(request_.contract, request_.baseline, derive_key(request_.secret, ++stands_, "process"));
  for (ShapeSchedule& schedule : schedules_) {
    schedule.timed.params = draw_params(request_.contract, random_);
    calibrate(schedule, baseline);
  }
  share_out();
  slots_.resize(schedules_.size());
  for (std::size_t s = 0; s < schedules_.size(); ++s) {
    if (schedules_[s].untimed.empty()) make_slots(s);
  }
}

/// Single calls say roughly how long one lasts, a burst of that many then says it well. Values that the baseline has
/// met before cost what checking costs in the long run.
void SpeedTrial::calibrate(ShapeSchedule& schedule, Stand& baseline) {
  const bool one_set = request_.contract.lifetime == Lifetime::fixed_address;
  schedule.timed.slots = one_set ? 1 : timing::kSlotsPerCall;
  const auto rough = measure(schedule, baseline, 1);
  if (!rough) return;
  const std::int64_t few = one_set ? 1
                                   : std::clamp<std::int64_t>(static_cast<std::int64_t>(kTargetBurst / rough->call_s),
                                                              1, std::min<std::int64_t>(64, most_calls(schedule)));
  schedule.timed.slots = one_set ? 1 : static_cast<std::size_t>(timing::kSlotsPerCall * few);
  const auto cost = measure(schedule, baseline, few);
  if (!cost) return;
  schedule.call_s = cost->call_s;
  choose(schedule, cost->call_s, cost->check_s);
}

/// Medians over a few bursts of so many calls.
std::optional<SpeedTrial::CallCost> SpeedTrial::measure(ShapeSchedule& schedule, Stand& baseline, std::int64_t count) {
  SlotSet slots(request_.contract, *schedule.timed.shape, schedule.timed.slots, random_(),
                derive_key(request_.secret, random_(), "calibration"));
  baseline.begin(schedule.timed, slots);
  std::vector<double> calls, checks;
  const auto n = static_cast<double>(count);
  for (int i = 0; i < kCalibrations; ++i) {
    std::size_t from_the_first = 0;
    const std::vector<Ticket> drawn = tickets(schedule, from_the_first, count);
    const double null_s = null_.run(drawn.size()).wall_s;
    const double start = now_s();
    const auto time = baseline.run(drawn, request_.contract.speed.regime);
    if (!time || !baseline.objections().empty()) {
      schedule.untimed = time ? "the baseline itself is wrong there: " + baseline.objections().front().message
                              : "the baseline ended: " + baseline.end()->what;
      return std::nullopt;
    }
    calls.push_back(std::max(kLeastCall, (time->wall_s - null_s) / n));
    checks.push_back((now_s() - start - time->wall_s) / n);
  }
  return CallCost{timing::median(calls), timing::median(checks)};
}

/// As many as slots fit, with their decoys.
std::int64_t SpeedTrial::most_calls(const ShapeSchedule& schedule) const {
  const auto room = static_cast<std::int64_t>(std::min(kSlotBytes, request_.memory_bytes / (8 * schedules_.size())));
  return std::min<std::int64_t>(timing::calls_that_fit(room, set_bytes(*schedule.timed.shape)), kMostCalls);
}

void SpeedTrial::choose(ShapeSchedule& schedule, double call_s, double check_s) {
  timing::BurstPlan plan = timing::choose_bursts({call_s, 0.0, 0.0, most_calls(schedule), kTargetBurst});
  if (request_.contract.lifetime == Lifetime::fixed_address)
    plan = timing::Singles{"callers of this lifetime have one set of buffers"};
  if (const auto* bursts = std::get_if<timing::Bursts>(&plan)) {
    schedule.lengths = bursts->lengths;
    schedule.method = "bursts of " + std::to_string(bursts->longest()) + " calls";
    schedule.timed.slots = static_cast<std::size_t>(timing::kSlotsPerCall * bursts->longest());
  } else {
    schedule.lengths = {1};
    schedule.method = "single calls: " + std::get<timing::Singles>(plan).reason;
  }
  schedule.check_s = check_s;
  choose_other(schedule);
}

/// Seconds that the fewest pairs that make sense take, or as many pairs as fit into `seconds`.
timing::CountPlan SpeedTrial::counts_within(const ShapeSchedule& schedule, double seconds) const {
  const double start_s = kProcessStart / static_cast<double>(schedules_.size());
  return timing::choose_counts({seconds, start_s, schedule.call_s, schedule.check_s, kTurn, request_.processes},
                               schedule.lengths);
}

/// The shapes that most of production's time goes to come first; what doesn't fit into the time is left out.
void SpeedTrial::share_out() {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t s = 0; s < schedules_.size(); ++s) {
    const ShapeSchedule& schedule = schedules_[s];
    const double time = weight_of(request_.contract, *schedule.timed.shape) * schedule.call_s;
    if (schedule.untimed.empty()) order.emplace_back(-time, s);
  }
  std::sort(order.begin(), order.end());
  double taken = 0.0;
  std::vector<std::pair<std::size_t, double>> chosen;
  for (const auto& [time, s] : order) {
    const timing::CountPlan least = counts_within(schedules_[s], 0.0);
    const double needed_s = std::get<timing::OverBudget>(least).needed_s;
    if (taken + needed_s <= kMostOverBudget * request_.seconds) {
      taken += needed_s;
      chosen.emplace_back(s, needed_s);
    } else {
      schedules_[s].untimed = "no time is left for it at this depth; a deeper audit times it";
    }
  }
  for (const auto& [s, needed_s] : chosen) {
    const double share = kShareOfPairs * request_.seconds / static_cast<double>(chosen.size());
    const timing::CountPlan counts = counts_within(schedules_[s], std::max(share, kRoundedUp * needed_s));
    ShapeSchedule& schedule = schedules_[s];
    schedule.counts = std::get<timing::FixedCounts>(counts).counts;
    schedule.other_pairs = schedule.other_calls > 0 ? std::max(3, schedule.counts.pairs / 3) : 0;
  }
}

/// Slots of a hot burst fit the last-level cache together, where the judge's writing has left them.
void SpeedTrial::choose_other(ShapeSchedule& schedule) {
  schedule.other_calls = schedule.lengths.back();
  if (request_.cache_bytes <= 0) {
    schedule.other_calls = 0;
    schedule.other_note = "this machine doesn't say how large its caches are";
    return;
  }
  const timing::HotPlan hot = timing::choose_hot(request_.cache_bytes, set_bytes(*schedule.timed.shape));
  if (std::holds_alternative<timing::HotIsCold>(hot)) {
    schedule.other_calls = 0;
    schedule.other_note = "one set of buffers exceeds the last-level cache: hot and cold are the same";
  } else if (const auto* singles = std::get_if<timing::HotSingles>(&hot)) {
    schedule.other_calls = 1;
    schedule.other_note = singles->reason;
  } else {
    schedule.other_calls = std::min(schedule.other_calls, std::get<timing::HotBursts>(hot).calls);
  }
}

/// Both sets are laid out alike. Processes take them by turns, so that lucky memory favours neither side.
void SpeedTrial::make_slots(std::size_t shape) {
  const TimedShape& timed = schedules_[shape].timed;
  const std::uint64_t layout = random_();
  for (std::size_t side = 0; side < kSides; ++side) {
    slots_[shape].push_back(std::make_unique<SlotSet>(request_.contract, *timed.shape, timed.slots, layout,
                                                      derive_key(request_.secret, 2 * shape + side, "slots")));
  }
}

std::optional<std::size_t> SpeedTrial::anchor() const {
  std::optional<std::size_t> best;
  double most = -1.0;
  for (std::size_t s = 0; s < schedules_.size(); ++s) {
    const ShapeSchedule& schedule = schedules_[s];
    const double time = weight_of(request_.contract, *schedule.timed.shape) * schedule.call_s;
    if (!schedule.untimed.empty() || time <= most) continue;
    most = time;
    best = s;
  }
  return best;
}

std::vector<Ticket> SpeedTrial::tickets(const ShapeSchedule& schedule, std::size_t& next, std::int64_t calls) {
  std::vector<Ticket> drawn;
  std::vector<std::uint16_t> slots(schedule.timed.slots);
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = static_cast<std::uint16_t>(i);
  for (std::size_t i = 0; i < static_cast<std::size_t>(calls); ++i) {
    std::swap(slots[i], slots[i + random_.below(slots.size() - i)]);
    drawn.push_back({slots[i], next++});
  }
  return drawn;
}

void SpeedTrial::turn(Pair& pair, std::size_t shape, timing::Who who, const std::vector<Ticket>& tickets,
                      TurnTime kind) {
  TurnTime time = kind;
  if (who == timing::Who::null) {
    const TurnTime made = null_.run(tickets.size());
    time.wall_s = made.wall_s;
    time.replied_s = made.replied_s;
    time.told_s = made.told_s;
  } else {
    Stand* stand = pair.side(who);
    const auto made = stand ? stand->run(tickets, kind.regime) : std::nullopt;
    if (!made) return;
    time.wall_s = made->wall_s;
    time.replied_s = made->replied_s;
    time.told_s = made->told_s;
    time.cpu_s = made->cpu_s;
    time.waited_s = made->waited_s;
    if (who == timing::Who::candidate) {
      for (const Observation& o : stand->objections()) objections_.push_back({shape, o});
    }
  }
  time.who = who;
  time.calls = static_cast<std::int64_t>(tickets.size());
  pair.result.shapes[shape].turns.push_back(time);
}

void SpeedTrial::first_calls(Pair& pair, std::size_t shape) {
  const std::vector<Ticket> first = tickets(schedules_[shape], pair.next_value[shape], 1);
  for (const timing::Who who : {timing::Who::baseline, timing::Who::candidate}) {
    Stand* stand = pair.side(who);
    stand->begin(schedules_[shape].timed, pair.slots_of(who, slots_[shape]));
    const auto time = stand->run(first, request_.contract.speed.regime);
    if (time) pair.result.shapes[shape].first_call_s[static_cast<std::size_t>(who)] = time->wall_s;
  }
}

void SpeedTrial::rounds(Pair& pair, std::size_t shape, bool diagnostics) {
  const ShapeSchedule& schedule = schedules_[shape];
  timing::Counts counts = schedule.counts;
  if (!diagnostics || schedule.lengths.size() < 2) counts.ladder_rounds = 0;
  if (!diagnostics || schedule.lengths.back() == 1) counts.single_rounds = 0;
  std::vector<std::pair<timing::Round, Regime>> all;
  for (timing::Round& round : timing::draw_schedule(random_, schedule.lengths, counts, timing::Ordering::coin)) {
    all.emplace_back(std::move(round), request_.contract.speed.regime);
  }
  if (diagnostics && schedule.other_pairs > 0) {
    const timing::Counts few{schedule.other_pairs, 0, 0};
    for (timing::Round& round : timing::draw_schedule(random_, {schedule.other_calls}, few, timing::Ordering::coin)) {
      all.emplace_back(std::move(round), other());
    }
  }
  std::shuffle(all.begin(), all.end(), random_);
  const std::size_t most = kMostAgain * all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [round, regime] = all[i];
    const bool may_repeat = all.size() < most;  // else a disturbed round is better than none
    if (!make_round(pair, shape, round, regime, static_cast<int>(i)) && may_repeat) {
      drop_round(pair, shape, static_cast<int>(i));
      all.emplace_back(round, regime);
    }
  }
}

void SpeedTrial::drop_round(Pair& pair, std::size_t shape, int number) {
  std::erase_if(pair.result.shapes[shape].turns, [&](const TurnTime& turn) { return turn.pair == number; });
}

/// False if one side had to wait for a processor: somebody else's work is no property of a kernel. A subject that
/// sleeps does not wait.
bool SpeedTrial::make_round(Pair& pair, std::size_t shape, const timing::Round& round, Regime regime, int number) {
  std::vector<TurnTime>& turns = pair.result.shapes[shape].turns;
  const std::size_t before = turns.size();
  const std::vector<Ticket> same = tickets(schedules_[shape], pair.next_value[shape], round.turns.front().calls);
  for (const timing::Turn& each : round.turns) {
    TurnTime kind;
    kind.purpose = round.purpose;
    kind.regime = regime;
    kind.pair = number;
    turn(pair, shape, each.who, same, kind);
  }
  ++pair.result.rounds;
  bool disturbed = false;
  for (std::size_t t = before; t < turns.size(); ++t) {
    if (turns[t].who == timing::Who::null || turns[t].waited_s <= kMostWaited * turns[t].wall_s) continue;
    disturbed = true;
    ++pair.result.again[static_cast<std::size_t>(turns[t].who)];
  }
  return !disturbed;
}

/// Median wall time of the baseline's longest bursts while no other subject lives.
double SpeedTrial::alone(Pair& pair, std::size_t shape) {
  pair.baseline.begin(schedules_[shape].timed, pair.slots_of(timing::Who::baseline, slots_[shape]));
  std::vector<double> walls;
  for (int i = 0; i < kAlone; ++i) {
    const auto time =
        pair.baseline.run(tickets(schedules_[shape], pair.next_value[shape], schedules_[shape].lengths.back()),
                          request_.contract.speed.regime);
    if (time) walls.push_back(time->wall_s);
  }
  return walls.empty() ? 0.0 : timing::median(walls);
}

ProcessPair SpeedTrial::run(const AuditSubject& candidate, bool only_anchor) {
  const std::optional<std::size_t> heaviest = anchor();
  if (!heaviest) throw Error("internal: nothing to time");
  const auto secret = [&] { return derive_key(request_.secret, ++stands_, "process"); };
  Pair pair{Stand(request_.contract, request_.baseline, secret()),
            std::nullopt,
            {},
            {},
            made_[only_anchor ? 1 : 0]++ % 2 == 1};
  pair.result.shapes.resize(schedules_.size());
  pair.next_value.resize(schedules_.size());
  const std::vector<std::size_t> params = draw_params(request_.contract, random_);
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < schedules_.size(); ++s) {
    schedules_[s].timed.params = params;
    if (schedules_[s].untimed.empty() && (!only_anchor || s == *heaviest)) order.push_back(s);
  }
  pair.result.alone.alone_before_s = alone(pair, *heaviest);
  pair.candidate.emplace(request_.contract, candidate, secret());
  pair.result.load_s = {pair.baseline.load_s(), pair.candidate->load_s()};
  std::shuffle(order.begin(), order.end(), random_);
  for (const std::size_t shape : order) {
    first_calls(pair, shape);
    rounds(pair, shape, !only_anchor);
  }
  if (pair.candidate->end()) end_ = pair.candidate->end();
  if (!pair.baseline.alive()) throw Error("the baseline ended while it was timed: " + pair.baseline.end()->what);
  for (const auto& [name, count] : pair.candidate->attempts()) attempts_[name] += count;
  counts_ += pair.candidate->counts();
  pair.candidate.reset();
  pair.result.alone.alone_after_s = alone(pair, *heaviest);
  return std::move(pair.result);
}

}  // namespace assay
