#pragma once
#include <string>

#include "core/case.h"
#include "judge/audit.h"

namespace assay {

/// How often a case failed when it was run again, each time alone in a fresh worker.
struct ReplayCount {
  int tries = 0;
  int failures = 0;
  bool statistical = false;  ///< it takes luck (threads that race): a miss proves nothing
  std::string message;       ///< what the witness said last; empty if it never objected
};

/// Runs the case under the request's seed, which must be there, until `witness` objects, a few times at most; a
/// statistical one ten times. Throws Error (usage) where the case doesn't fit the contract.
ReplayCount replay(const AuditRequest& request, const Case& made, const std::string& witness);

}  // namespace assay
