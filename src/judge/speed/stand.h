#pragma once
#include <memory>
#include <optional>

#include "core/observation.h"
#include "judge/speed/slot_set.h"
#include "judge/speed/times.h"
#include "judge/speed/value_pool.h"
#include "judge/subject.h"

namespace assay {

/// A shape that is timed: its values, and how many slots a subject gets.
struct TimedShape {
  const ConcreteShape* shape = nullptr;
  ValuePool* pool = nullptr;
  std::size_t slots = 2;
  std::vector<std::size_t> params;  ///< of the process pair at hand
};

/// One call of a burst: which slot, and which of the pool's values it holds.
struct Ticket {
  std::uint16_t slot = 0;
  std::size_t value = 0;
};

/// One subject in a process of its own, on the judge's clock. Every call is checked.
class Stand {
 public:
  Stand(const Contract& contract, const AuditSubject& subject, const StreamKey& secret);

  bool alive() const { return !end_; }
  const std::optional<Ended>& end() const { return end_; }
  double load_s() const { return load_s_; }

  /// Lends `slots` for a shape; those of the shape before are taken back. They stay the caller's.
  void begin(const TimedShape& timed, SlotSet& slots);
  /// Writes all slots, flushes the called ones where `regime` is cold, calls `tickets` in that order, and checks what
  /// they left. Nothing: the subject ended.
  std::optional<TurnTime> run(const std::vector<Ticket>& tickets, Regime regime);
  /// What was wrong in the last burst.
  const std::vector<Observation>& objections() const { return objections_; }
  Attempts attempts() { return worker_->attempts(); }
  const Counts& counts() const { return counts_; }

 private:
  void write(const std::vector<Ticket>& tickets, Regime regime);
  void check(const std::vector<Ticket>& tickets, const Finished& finished);

  const Contract& contract_;
  const AuditSubject& subject_;
  Random random_;
  std::unique_ptr<Worker> worker_;
  std::optional<AddressSpace> addresses_;
  SlotSet* slots_ = nullptr;
  std::vector<Mapping> mapped_;
  TimedShape timed_;
  std::vector<Observation> objections_;
  Counts counts_;
  std::optional<Ended> end_;
  double load_s_ = 0.0;
  std::size_t decoys_ = 0;
};

/// A worker that calls a function of its own (builtin_subject): the same orders, and nothing to check.
class BareStand {
 public:
  BareStand(const AuditSubject& builtin, std::size_t arguments);
  /// Its times alone; who, what and how often are the caller's to say.
  TurnTime run(std::size_t calls);

 private:
  std::unique_ptr<Worker> worker_;
};

}  // namespace assay
