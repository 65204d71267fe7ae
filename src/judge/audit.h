#pragma once
#include <optional>
#include <set>
#include <string>

#include "core/depth.h"
#include "core/progress.h"
#include "core/seed.h"
#include "judge/speed/speed.h"
#include "judge/subject.h"

namespace assay {

/// All that an audit is a function of, but for its times (DESIGN.md, "Beyond one machine").
struct AuditRequest {
  const Contract& contract;
  AuditSubject candidate;
  std::optional<AuditSubject> reference;
  Depth depth = Depth::standard;
  std::optional<AuditSubject> baseline;  ///< what speed is compared with; nothing: the reference
  std::optional<AuditSubject> nothing;   ///< the null subject; nothing: speed isn't measured
  std::optional<CampaignTerms> campaign;
  std::set<std::string> only;     ///< ids of checks; empty: all
  std::set<std::string> without;  ///< ids of checks that are left out
  std::optional<Seed> seed;       ///< nothing: drawn from the system once the candidate is loaded
  std::int64_t memory_bytes = 0;  ///< that may be lent at a time
  Progress* progress = nullptr;   ///< may be null
};

/// Audits the candidate. The report lacks only what the judge doesn't know: tool, contract file and digests.
/// Throws Error where the audit itself is impossible.
AuditReport audit(const AuditRequest& request);

}  // namespace assay
