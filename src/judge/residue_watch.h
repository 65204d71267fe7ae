#pragma once
#include <span>
#include <vector>

#include "core/contract.h"
#include "core/observation.h"
#include "judge/worker.h"

namespace assay {

/// What was there after so many calls.
struct Reading {
  std::int64_t calls = 0;
  Residue residue;
};

/// Compares what calls leave in the worker's process with what was there when the subject had been loaded.
class ResidueWatch {
 public:
  /// `driver`: the process holds a device's driver, which takes threads and memory of its own as it is used.
  ResidueWatch(const Contract& contract, Residue after_load, bool driver = false);

  /// Cheap part, after every call.
  std::vector<Observation> after_call(const Residue& now) const;
  /// The whole state of the process: manners (CONTRACT.md, fine print), children, descriptors.
  std::vector<Observation> whole(const Residue& now) const;
  /// Growth over whole readings at equal distances, among calls that all have been made before.
  std::vector<Observation> growth(std::span<const Reading> readings) const;
  /// A call of this shape is about to be made: the contract grants memory by shape.
  void called(const AxisValues& axes);
  /// Processor time of a call that nothing else ran beside. Says something once it is clear that more threads than the
  /// contract allows had computed at the same time, several times over.
  std::vector<Observation> processor_time(const Returned& returned);

 private:
  std::int64_t allowed_threads() const;

  std::vector<Observation> held(const Residue& now) const;
  std::int64_t pool_;
  bool driver_;
  Residue baseline_;
  const Contract& contract_;
  std::int64_t granted_bytes_ = 0;  ///< the most that memory.extra allows at any shape so far
  int greedy_calls_ = 0;
  std::int64_t greedy_ns_ = 0;
};

/// System calls that a kernel has no use for and the sandbox refused: other processes and what tampers with them are
/// faults, files and network beyond the sandbox are worth a note. `when`: "while it was loaded", or empty.
std::vector<Observation> attempts_seen(const Attempts& attempts, const std::string& when = {});

}  // namespace assay
