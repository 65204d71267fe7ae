#pragma once
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "judge/registers.h"
#include "judge/values.h"
#include "numerics/poison.h"
#include "sandbox/surroundings.h"

namespace assay {

/// Bytes beside a tensor, or of memory that the call had nothing to do with, that are not as the judge left them.
struct Damage {
  std::string where;  ///< "after y", "before y", "between the elements of y", "the place that x left", …
  std::int64_t offset =
      0;  ///< bytes from the tensor's end (after), from its start (before, negative), else from the start
  bool stranger = false;  ///< not beside a tensor of this call: another slot, or a place left behind
};

/// An input that no longer holds the judge's bytes.
struct InputChange {
  std::size_t buffer = 0;
  std::int64_t element = 0;  ///< row-major; of the workspace and strided gaps: byte offset
};

/// An output that changed between the reply and the moment when the device was idle.
struct LateChange {
  std::size_t buffer = 0;
  std::int64_t offset = 0;  ///< bytes from the tensor's start
};

/// Everything the judge saw of one call. No judgement yet.
struct CallFacts {
  CallOutcome outcome;
  std::vector<Bytes> outputs;                     ///< per buffer; empty for those that hold no output
  std::vector<std::optional<PoisonSpec>> poison;  ///< per buffer: how it was poisoned; none for inputs and old answers
  std::vector<bool> aliased;                      ///< per buffer: shares its storage, so what lay there is no poison
  std::vector<Damage> damage;
  std::vector<InputChange> input_changes;
  std::optional<LateChange> late;
  Residue residue;
  Attempts attempts;
  std::int64_t guarded_bytes = 0;
};

struct SessionOptions {
  Lifetime lifetime = Lifetime::serving;
  bool decoys = true;
  std::uint64_t decoy_limit_bytes = 0;  ///< tensors above it get no decoy
  double deadline_s = 10.0;
  bool writable_inputs = false;  ///< lends inputs writable: only to tell a write to one from another fault
  sandbox::Surroundings surroundings = sandbox::Surroundings::usual;
  const Device* device = nullptr;  ///< where tensors lie; must outlive the session
  StreamKey secret;                ///< places, poison and red zones follow from it, each use from a key of its own
};

/// The life of one worker.
///
/// Theory of operation. A session owns a worker and the memory lent to it. For each call it chooses one of two sets of
/// homes, writes the inputs, poisons the rest and draws red zones, in the chosen set and, with other values, in the
/// other one (the decoy): the worker learns only from the call message which of them is meant. While this happens the
/// worker is stopped. Then it sends the call, waits, stops the worker again and only looks: outputs, red zones, inputs,
/// the decoy, places that a tensor left, threads and memory. On a device whose work goes on when a call has returned, a
/// few secret pieces of the outputs are read the moment the reply is in, and compared with what lies there once the
/// device is idle. What it saw is returned as CallFacts; the session doesn't know what is right. A worker that ended
/// stays ended: the owner starts a new session.
class Session {
 public:
  Session(const Contract& contract, const Entry& entry, std::unique_ptr<Worker> worker, const Loaded& loaded,
          Values& values, const std::vector<ConcreteShape>& shapes, SessionOptions options);

  bool alive() const { return !end_; }

  void begin_script(bool keep_starts = false);
  CallFacts perform(const ConcreteShape& shape, const CallPlan& plan);
  /// Two calls of one shape at the same time, on the two sets of homes. Nothing: there is no room for both.
  std::optional<std::array<CallFacts, 2>> perform_together(const ConcreteShape& shape, const CallPlan& plan,
                                                           const CallPlan& beside);
  /// Lets the worker run on for some milliseconds and reads the last call's outputs again.
  std::vector<Bytes> outputs_later();
  void end_script();
  Residue full_residue();
  /// What the subject's constructors tried.
  const Attempts& attempts_at_load() const { return attempts_at_load_; }

 private:
  std::vector<Staged> stage(const CallPlan& plan, const std::vector<Buffer>& buffers, Set set, bool decoy);
  void write(Staged& staged, const CallPlan& plan, bool decoy);
  void poison(Staged& staged, Poison kind);
  StreamKey next_key();
  CallPlan decoy_plan(const CallPlan& plan);
  bool wants_decoy(const std::vector<Buffer>& buffers) const;
  /// Bytes of an output of the call at hand, as they were when the reply came.
  struct Piece {
    std::size_t buffer = 0;
    std::uint64_t offset = 0;
    Bytes bytes;
  };
  std::vector<Bystander> watch_bystanders(const std::vector<Staged>& called, const std::vector<Staged>& other);
  std::vector<Piece> take_pieces();
  void read_pieces(std::vector<Piece>& pieces) const;
  Invocation invocation_of(const CallPlan& plan);
  void run(Invocation invocation, CallFacts& facts);
  Residue residue(bool full);
  void look(CallFacts& facts, const std::vector<Staged>& called, const CallPlan& plan);
  void look_around(CallFacts& facts, const std::vector<Staged>& decoy, const std::vector<Bystander>& bystanders);
  StreamChoice choose_stream();
  void remember(const CallFacts& facts);

  const Contract& contract_;
  const Entry& entry_;
  std::unique_ptr<Worker> worker_;
  Values& values_;
  SessionOptions options_;
  std::uint64_t keys_ = 0;  ///< handed out so far
  Random random_;           ///< choices; its raw output never reaches the worker
  Random halves_;           ///< dirty upper halves, which do
  Lender lender_;
  Set set_ = 0;
  std::uint64_t sequence_ = 0;
  std::vector<Buffer> buffers_;  ///< of the call at hand
  std::vector<Staged> called_;
  Attempts attempts_at_load_;
  std::optional<Ended> end_;
  bool unmapped_ = false;                 ///< it ended before the call at hand could be made
  std::map<std::string, Bytes> answers_;  ///< by buffer: the last answer, for Poison::other_answer
};

}  // namespace assay
