#pragma once
#include <set>
#include <string>
#include <vector>

#include "core/check.h"
#include "core/depth.h"

namespace assay {

/// What a session is to do.
struct SessionPlan {
  Lifetime lifetime = Lifetime::serving;
  std::vector<Script> scripts;    ///< shuffled: all checks share one queue
  std::size_t fused = 0;          ///< calls that weren't planned because a call of another script does their work
  std::size_t left_out = 0;       ///< scripts whose calls would move more bytes than the depth allows
  std::set<std::string> fitting;  ///< checks that this contract gives something to do
  std::int64_t calls() const;
};

/// Asks every registered check (or those named in `only`) for its scripts under this lifetime and shuffles them into
/// one queue. `shapes` is what the session may call, not empty.
SessionPlan plan_session(const Contract& contract, const std::vector<ConcreteShape>& shapes, Lifetime lifetime,
                         Depth depth, const std::set<std::string>& only, Random random);

}  // namespace assay
