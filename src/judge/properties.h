#pragma once
#include "judge/observe.h"

namespace assay {

/// Measures the properties of the outputs that a call left, and of the reference's: the part of `judge_call` for
/// operators whose outputs aren't unique. An extreme counts only where the reference has all of its properties.
void judge_properties(const Contract& contract, const Entry& entry, const ConcreteShape& shape, const CallPlan& plan,
                      const CallFacts& facts, const CallTruth& truth, Judged& judged);

}  // namespace assay
