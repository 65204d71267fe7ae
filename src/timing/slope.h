#pragma once
#include <span>
#include <vector>

#include "timing/suspicion.h"

namespace assay::timing {

/// Wall times of one process pair's bursts: medians at each length, of the subject, of the baseline and of the null.
struct Ladder {
  std::vector<double> calls;  ///< burst lengths, ascending, at least 3
  std::vector<double> subject_s, baseline_s, null_s;
};

/// wall - null's wall as intercept + slope * calls (least squares), and how far it sags from its own chord.
struct Line {
  double intercept_s = 0.0;
  double slope_s = 0.0;
  double bow_s = 0.0;  ///< quadratic term at mid-span against the ends; above 0: cheaper calls in longer bursts
};

/// Throws Error where lists differ in length or hold fewer than 3 lengths.
Line fit_line(std::span<const double> calls, std::span<const double> wall_s, std::span<const double> null_s);

struct SlopeRules {
  double level = 1e-5;   ///< of an accusation, from the budget; shared by intercept and both signs of the bow
  double margin = 0.05;  ///< of the longest burst: what first calls may cost more than the following ones
  double seconds = 0.0;  ///< and so long besides: a cold start is no share of anything
};

/// Slope bending (E23): an intercept above the null subject's, or a bow, beyond noise, beyond `margin` and beyond what
/// the baseline shows itself in the same process pairs. One ladder per process pair. A diagnostic: the cost never uses
/// it.
Consistency check_slope(std::span<const Ladder> ladders, const SlopeRules& rules);

}  // namespace assay::timing
