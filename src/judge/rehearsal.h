#pragma once
#include <string>
#include <vector>

#include "core/report.h"
#include "judge/runner.h"

namespace assay {

/// What harnesses that others decide by would have said of the candidate: five trials of each of production's shapes
/// (three at most; the plan's first where all are too large), each with new values in new buffers, compared with the
/// reference's result, or the oracle's, by each published rule. Decides nothing and files nothing. Empty where outputs
/// aren't unique or nothing says what is right.
struct Rehearsed {
  std::vector<ElsewhereRow> rows;
  std::string note;  ///< production shapes that were left out; empty: none
};
Rehearsed rehearse(Bench& bench, const StreamKey& secret);

}  // namespace assay
