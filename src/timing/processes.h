#pragma once
#include <span>
#include <vector>

#include "core/seed.h"
#include "timing/interval.h"

namespace assay::timing {

/// Costs per call from one fresh pair of processes: baseline_s[i] and candidate_s[i] were timed next to each other.
struct ProcessTimes {
  std::vector<double> baseline_s, candidate_s;
};

/// d_i = ln(baseline_s[i] / candidate_s[i]): above 0 the candidate is faster. Throws Error on unequal or empty lists
/// and on times that are not positive.
std::vector<double> log_ratios(const ProcessTimes& process);

/// The median of d of each process pair: the independent units of a comparison.
std::vector<double> process_medians(std::span<const ProcessTimes> processes);

/// Signed-rank interval of the log speed-up over process medians; fewer processes than the level needs (6 for 0.05)
/// give TooFew, never a guess.
Estimate process_interval(std::span<const ProcessTimes> processes, double alpha);

/// Mean with Student's t interval; at least 2 values. For accusations, whose level ranks can't reach.
Estimate student_interval(std::span<const double> sample, double alpha);

/// Where the uncertainty of the log speed-up comes from, as variances of the estimate.
struct VarianceParts {
  double process = 0.0;  ///< between process pairs, beyond what their pairs explain
  double pair = 0.0;     ///< inside process pairs
  double total = 0.0;    ///< of processes resampled first, then pairs inside them
  int resamples = 0;
};

/// Two-level resampling (TIMING.md, "Between-process variance"). `process` = variance over resampled processes with
/// their medians kept, less `pair` = variance over resampled pairs with processes kept; not below 0.
VarianceParts variance_parts(std::span<const ProcessTimes> processes, Random& random, int resamples = 200);

}  // namespace assay::timing
