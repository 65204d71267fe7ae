#pragma once
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "core/progress.h"
#include "judge/speed/stand.h"
#include "timing/bursts.h"

namespace assay {

/// What is compared, on what, and for how long.
struct SpeedRequest {
  const Contract& contract;
  const AuditSubject& baseline;
  const AuditSubject& candidate;
  const AuditSubject& nothing;  ///< the null subject: builtin_subject
  Values& values;
  TruthSource& truths;
  std::vector<const ConcreteShape*> shapes;  ///< production's
  double seconds;                            ///< about what timing may take
  int processes = 6;                         ///< process pairs
  std::uint64_t memory_bytes = 1ULL << 30;   ///< for slots and values
  std::int64_t cache_bytes = 0;              ///< of the last level; 0: not known
  StreamKey secret = {};
  Progress* progress = nullptr;  ///< may be null
};

/// How one shape is timed; fixed before anything of the candidate is.
struct ShapeSchedule {
  TimedShape timed;
  std::vector<std::int64_t> lengths;  ///< of bursts in the decisive regime, ascending
  std::int64_t other_calls = 0;       ///< burst length in the other regime; 0: not timed there
  timing::Counts counts;
  int other_pairs = 0;
  double call_s = 0.0;   ///< one call of the baseline, roughly
  double check_s = 0.0;  ///< of the judge for each call
  std::string method;    ///< "bursts of 24 calls", "single calls: …"
  std::string untimed;   ///< why the shape is left out; empty: it is timed
  std::string other_note;
};

/// Something the witnesses saw in a timed call of the candidate.
struct TimedObjection {
  std::size_t shape = 0;
  Observation observation;
};

/// Times subjects in pairs of fresh processes.
///
/// Theory of operation. `plan` looks at the baseline and the null subject only: it fixes burst lengths and counts.
/// `run` starts one process for each side, times the baseline alone, then for each shape makes the rounds of a schedule
/// drawn by chance (timing/schedule.h): both sides of a pair get the same values at places of the same alignment, next
/// to each other in time, while the other one stands still; then the baseline is timed alone again. What comes out are
/// bare times: judge/speed/conclude.h says what they mean.
class SpeedTrial {
 public:
  explicit SpeedTrial(const SpeedRequest& request);

  void plan();
  const std::vector<ShapeSchedule>& schedules() const { return schedules_; }
  /// Index of the shape that most of production's time goes to, among those that are timed.
  std::optional<std::size_t> anchor() const;
  /// One pair of processes; `candidate` may be the baseline again. `only`: the anchor alone, without diagnostics.
  ProcessPair run(const AuditSubject& candidate, bool only_anchor);

  const std::vector<TimedObjection>& objections() const { return objections_; }
  const std::optional<Ended>& candidate_end() const { return end_; }
  const Counts& counts() const { return counts_; }
  /// One call of the null subject, round trip and all.
  double empty_call_s() const { return null_single_s_; }
  Attempts attempts() { return std::exchange(attempts_, {}); }

 private:
  struct Pair;
  void calibrate_null();
  struct CallCost {
    double call_s = 0.0, check_s = 0.0;
  };
  void calibrate(ShapeSchedule& schedule, Stand& baseline);
  std::optional<CallCost> measure(ShapeSchedule& schedule, Stand& baseline, std::int64_t count);
  std::int64_t most_calls(const ShapeSchedule& schedule) const;
  void choose(ShapeSchedule& schedule, double call_s, double check_s);
  void choose_other(ShapeSchedule& schedule);
  timing::CountPlan counts_within(const ShapeSchedule& schedule, double seconds) const;
  void share_out();
  void make_slots(std::size_t shape);
  void first_calls(Pair& pair, std::size_t shape);
  void rounds(Pair& pair, std::size_t shape, bool diagnostics);
  void drop_round(Pair& pair, std::size_t shape, int number);
  bool make_round(Pair& pair, std::size_t shape, const timing::Round& round, Regime regime, int number);
  std::vector<Ticket> tickets(const ShapeSchedule& schedule, std::size_t& next, std::int64_t calls);
  void turn(Pair& pair, std::size_t shape, timing::Who who, const std::vector<Ticket>& tickets, TurnTime kind);
  double alone(Pair& pair, std::size_t shape);
  Regime other() const { return request_.contract.speed.regime == Regime::cold ? Regime::hot : Regime::cold; }

  SpeedRequest request_;
  Random random_;
  std::uint64_t stands_ = 0;
  std::array<int, 2> made_{};  ///< process pairs: of the trial, of the control
  BareStand null_;
  double null_s_ = 0.0, null_spread_s_ = 0.0;  ///< of a burst
  double null_single_s_ = 0.0;
  std::list<ValuePool> pools_;
  std::vector<std::vector<std::unique_ptr<SlotSet>>> slots_;  ///< by shape: one set for each side
  std::vector<ShapeSchedule> schedules_;
  std::vector<TimedObjection> objections_;
  std::optional<Ended> end_;
  Counts counts_;
  Attempts attempts_;
};

}  // namespace assay
