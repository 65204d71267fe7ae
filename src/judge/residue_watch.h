#pragma once
#include <vector>

#include "core/contract.h"
#include "core/observation.h"
#include "judge/worker.h"

namespace assay {

/// Compares what calls leave in the worker's process with what was there when the subject had been loaded.
class ResidueWatch {
 public:
  ResidueWatch(const Contract& contract, Residue after_load);

  /// Cheap part, after every call.
  std::vector<Observation> after_call(const Residue& now) const;
  /// The whole state of the process: manners (CONTRACT.md, fine print), children, descriptors.
  std::vector<Observation> whole(const Residue& now) const;
  /// Growth between two whole readings with `calls` identical calls between them.
  std::vector<Observation> growth(const Residue& middle, const Residue& end, std::int64_t calls) const;

 private:
  std::int64_t allowed_threads() const;

  std::int64_t pool_;
  Residue baseline_;
};

/// System calls that a kernel has no use for and the sandbox refused.
std::vector<Observation> attempts_seen(const Attempts& attempts);

}  // namespace assay
