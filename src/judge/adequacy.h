#pragma once
#include "core/report.h"
#include "judge/truth.h"

namespace assay {

/// Whether a contract could tell a wrong kernel from a right one: null models and mutants of the truth go through the
/// comparator that will judge the candidate (NUMERICS.md, "Null models and mutants of the reference"). Nothing of a
/// subject runs. `shapes` as planned; nothing to examine (no oracle, properties in place of values, empty outputs)
/// gives a section without groups that says so.
AdequacySection examine_adequacy(const Contract& contract, const std::vector<ConcreteShape>& shapes,
                                 TruthSource& truths, std::uint64_t key);

/// The same for a contract alone, with shapes of depth standard and values of a seed that is always the same. Throws
/// Error as audits do.
AdequacySection inspect_contract(const Contract& contract);

}  // namespace assay
