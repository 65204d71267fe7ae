#pragma once
#include <span>
#include <vector>

#include "timing/compare.h"

namespace assay::timing {

/// One production shape: its share of the calls and its times. Process pair i of every shape is the same pair.
struct MixShape {
  double weight = 1.0;
  std::vector<ProcessTimes> processes;
};

/// The production mix: sum(weight x time) of the baseline over that of the candidate, never a mean of ratios.
struct Mix {
  Estimate speedup;
  Effect effect;
  std::optional<double> detectable;
  double baseline_s = 0.0, candidate_s = 0.0;  ///< seconds per average call, at the median process pair
};

/// Per process pair, ln of the ratio of the two sums; over pairs the signed-rank interval. A shape's time enters as
/// median of sqrt(t_b t_c), times or divided by exp(d/2) with d the median log ratio, so that drift cancels as in
/// pairs. Throws Error where shapes have unequal numbers of process pairs, or a weight is not positive.
Mix compare_mix(std::span<const MixShape> shapes, const Rules& rules);

/// The log ratios of that comparison, one per process pair.
std::vector<double> mix_log_ratios(std::span<const MixShape> shapes);

}  // namespace assay::timing
