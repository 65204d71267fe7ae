#pragma once
#include <vector>

#include "core/observation.h"
#include "judge/session.h"
#include "judge/truth.h"

namespace assay {

/// What the witnesses say of one call.
struct Judged {
  std::vector<Observation> observations;
  Counts counts;
  std::vector<NumericsRow> rows;  ///< errors of candidate and reference, one per output with a real truth
  bool refused = false;           ///< returned, with something else than success
  bool outputs_suspect = false;   ///< something about the outputs: worth reading them again later
};

/// "y[3, 17] (argument 3)": what a kernel author can look up.
std::string element_name(const Contract& contract, const Entry& entry, const ConcreteTensor& tensor,
                         std::int64_t index);

/// Runs the witnesses over what was seen: return, written, classes, error, guards, inputs. Where the call isn't typical
/// and the reference doesn't cope with it either, wrong numbers count as the domain's limit, not as a fault.
Judged judge_call(const Contract& contract, const Entry& entry, const ConcreteShape& shape, const CallPlan& plan,
                  const CallFacts& facts, const CallTruth& truth);

/// Outputs that were read again some milliseconds after the reply and have changed: work that outlived it.
std::vector<Observation> late_changes(const Contract& contract, const Entry& entry, const ConcreteShape& shape,
                                      const CallFacts& facts, const std::vector<Bytes>& later);

/// How a subject that couldn't be loaded is reported.
Observation load_failure(const LoadFailure& failure);
/// The same in words, with the symbols that may have been meant.
std::string failure_text(const LoadFailure& failure);
/// How the end of a worker in the middle of an audit is reported.
Observation ended_worker(const Ended& ended);

}  // namespace assay
