#pragma once
#include <string>
#include <vector>

#include "judge/observe.h"

namespace assay {

/// A lower precision that the outputs of a call bear traces of.
struct TracedPrecision {
  std::string tensor;  ///< the output
  std::string what;    ///< "a rounded to bfloat16", "results rounded to bfloat16", "sums in float16"
  std::string threat;
  Evidence evidence;
};

/// Looks for formats narrower than the contract promises: in inputs, which costs an answer of the oracle for each input
/// of floats (and more where something is found), and in results. Needs an oracle with real truths; else empty.
std::vector<TracedPrecision> trace_precision(const Contract& contract, const ConcreteShape& shape, const CallPlan& plan,
                                             const CallFacts& facts, const CallTruth& truth, TruthSource& truths);

/// What the check `downgrade` says of it: an error where the contract promises a precision, else a note.
Observation traced(const Contract& contract, const TracedPrecision& found);
/// Adds it to a finding about errors.
void say_what_it_looks_like(Observation& about, const TracedPrecision& found);

}  // namespace assay
