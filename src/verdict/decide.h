#pragma once
#include <string>
#include <vector>

#include "core/depth.h"
#include "core/error.h"
#include "core/report.h"

namespace assay {

/// What the decision rests on besides findings.
struct DecisionInput {
  const Contract* contract = nullptr;
  std::vector<Finding> findings;
  std::vector<CheckResult> checks;
  Counts counts;                         ///< over the candidate's calls
  std::vector<std::string> environment;  ///< why the audit itself can't be trusted: each makes the verdict an error
  Depth depth = Depth::standard;
  std::vector<std::string> doubts;  ///< why it can't be told: each makes a pass inconclusive
  std::vector<std::string> missed;  ///< gates on speed that the candidate doesn't reach: each makes a pass a fail
  bool speed_judged = false;        ///< the gates on speed were decided, or `missed` and `doubts` say why not
};

struct Decision {
  Verdict verdict = Verdict::inconclusive;
  std::vector<std::string> reasons;  ///< never empty
};

/// The decision, in this order: an unfit audit is an error, a finding of severity error is a fail, nothing checked or a
/// promise that was not checked is inconclusive, else pass.
Decision decide(const DecisionInput& input);

/// Whether the contract has a gate on speed.
bool asks_for_speed(const Contract& contract);

Exit exit_code(Verdict verdict);

}  // namespace assay
