#pragma once
#include "judge/observe.h"

/// What must hold between the outputs of two calls, whatever the tolerance of each.
namespace assay {

/// The outputs of two calls, one per Contract::tensors.
struct TwoResults {
  const std::vector<Bytes>& first;
  const std::vector<Bytes>& second;
};

/// The first tensor whose bits differ although the script says that they can't.
std::vector<Observation> broken_relation(const Contract& contract, const ConcreteShape& shape, const Script& script,
                                         const Relation& relation, const TwoResults& actual);

/// An output that is the same under two seeds, though the `expected` ones differ in many elements.
std::vector<Observation> same_draws(const Contract& contract, const ConcreteShape& shape, const Script& script,
                                    const TwoResults& actual, const TwoResults& expected);

/// Results that differ by something else than the power of two by which their truths differ, in an output where the
/// `reference` keeps that relation. A fault where the contract promises determinism and the operator is a sum of
/// products; else worth a note, since a kernel may choose its way by the values.
std::vector<Observation> not_by_power_of_two(const Contract& contract, const ConcreteShape& shape, const Script& script,
                                             const TwoResults& actual, const CallTruth& first, const CallTruth& second);

}  // namespace assay
