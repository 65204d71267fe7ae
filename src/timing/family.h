#pragma once
#include <span>
#include <vector>

#include "timing/compare.h"

namespace assay::timing {

/// What is said of one of several shapes.
struct FamilyEffect {
  Effect effect;
  double p = 1.0;  ///< of the likeliest of the three statements, adjusted over the shapes
};

/// Faster, slower or equivalent per shape, so that the chance of any wrong statement stays below `alpha` (Holm 1979):
/// for each shape the smallest p-value of "above 1 + delta" and "below 1 - delta" (two-sided) and of equivalence, by
/// signed ranks on the medians of process pairs; all shapes adjusted together. One list of log ratios per shape.
std::vector<FamilyEffect> decide_family(std::span<const std::vector<double>> log_medians, double delta, double alpha);

}  // namespace assay::timing
