#include "verdict/decide.h"

#include <algorithm>

namespace assay {
namespace {

std::vector<std::string> convictions(const std::vector<Finding>& findings) {
  std::vector<std::string> reasons;
  for (const Finding& finding : findings) {
    if (finding.severity != Severity::error) continue;
    const std::string reason = finding.check + ": " + finding.message;
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
  }
  return reasons;
}

/// Promises of the contract that this audit has no measurement for: a pass would claim them. `quick` never decides
/// speed, and its report lists a gate as not covered.
void unmeasured_promises(const DecisionInput& input, std::vector<std::string>& doubts) {
  const Contract& contract = *input.contract;
  if (asks_for_speed(contract) && input.depth != Depth::quick && !input.speed_judged) {
    doubts.push_back("the contract asks for a minimum speed-up, and none was measured");
  }
  if (contract.end_to_end && contract.end_to_end->required) {
    doubts.push_back("the contract requires an end-to-end measurement, and this version makes none");
  }
}

void unchecked(const DecisionInput& input, std::vector<std::string>& doubts) {
  if (input.counts.calls == 0) doubts.push_back("no call of the candidate was checked");
  if (input.counts.calls > 0 && input.counts.elements == 0) doubts.push_back("no output element was compared");
  if (input.counts.calls > 0 && input.counts.bytes == 0) doubts.push_back("no byte was guarded");
  for (const CheckResult& check : input.checks) {
    if (check.outcome == CheckOutcome::error) doubts.push_back(check.id + ": " + check.reason);
  }
}

std::string pass_reason(const Counts& counts) {
  return std::to_string(counts.calls) + " calls checked, " + std::to_string(counts.elements) + " elements compared, " +
         std::to_string(counts.bytes) + " bytes guarded, nothing found";
}

}  // namespace

bool asks_for_speed(const Contract& contract) {
  return contract.speed.min_speedup || contract.speed.min_speedup_each;
}

Decision decide(const DecisionInput& input) {
  if (!input.environment.empty()) return {Verdict::error, input.environment};
  std::vector<std::string> guilty = convictions(input.findings);
  guilty.insert(guilty.end(), input.missed.begin(), input.missed.end());
  if (!guilty.empty()) return {Verdict::fail, std::move(guilty)};
  std::vector<std::string> doubts = input.doubts;
  unchecked(input, doubts);
  unmeasured_promises(input, doubts);
  if (!doubts.empty()) return {Verdict::inconclusive, std::move(doubts)};
  return {Verdict::pass, {pass_reason(input.counts)}};
}

Exit exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return Exit::kPass;
    case Verdict::fail:
      return Exit::kFail;
    case Verdict::inconclusive:
      return Exit::kInconclusive;
    case Verdict::error:
      return Exit::kEnvironment;
  }
  return Exit::kEnvironment;
}

}  // namespace assay
