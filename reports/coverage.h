#pragma once
#include <string>

#include "core/threats.h"
#include "reports/proofs.h"

namespace assay::reports {

/// What stands against a threat, and what proves it.
struct Coverage {
  std::string seen_by;            ///< witnesses, then checks
  const Proof* guilty = nullptr;  ///< null: none
  const Proof* honest = nullptr;  ///< acquitted of what convicts the guilty one; null: none
  std::string why_not;            ///< where there is no guilty one
};

Coverage coverage_of(const Threat& threat);

}  // namespace assay::reports
