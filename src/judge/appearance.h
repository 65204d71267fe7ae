#pragma once
#include <optional>

#include "judge/traces.h"

namespace assay {

/// What the errors of `output` look like where no rounding explains them: numbers below the smallest normal one taken
/// for zeros, a part of each row left out, one tile of the output, an approximate function. Costs an answer of the
/// oracle for each guess. Needs an oracle with real truths; nothing: like nothing that is known.
std::optional<TracedPrecision> appearance(const Contract& contract, const ConcreteShape& shape, const CallPlan& plan,
                                          const std::string& output, const CallFacts& facts, const CallTruth& truth,
                                          TruthSource& truths);

}  // namespace assay
