#pragma once
#include <string>

#include "core/report.h"

namespace assay {

/// What a witness saw on one call: a fact with evidence. Whether it breaks the contract is in `severity`, set by
/// verdict/.
struct Observation {
  std::string witness;  ///< return, done, written, guards, inputs, classes, error, relation, residue, manners
  std::string tensor;   ///< which one, where there is one
  std::string threat;   ///< id of THREATS.md; empty: as the check that made the call says
  Severity severity = Severity::error;
  std::string message;
  Evidence evidence;
};

}  // namespace assay
