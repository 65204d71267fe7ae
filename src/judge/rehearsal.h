#pragma once
#include <vector>

#include "core/report.h"
#include "judge/runner.h"

namespace assay {

/// What harnesses that others decide by would have said of the candidate: five trials of each of production's shapes
/// (three at most; else the first of the plan), each with new values in new buffers, compared with the reference's
/// result, or the oracle's, by each published rule. Decides nothing and files nothing. Empty where outputs aren't
/// unique or nothing says what is right.
std::vector<ElsewhereRow> rehearse(Bench& bench, const StreamKey& secret);

}  // namespace assay
