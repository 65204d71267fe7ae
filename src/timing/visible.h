#pragma once
#include <span>

#include "timing/processes.h"

namespace assay::timing {

/// Noise of log ratios of one kernel against itself: between process pairs, and of a single pair inside one.
struct Noise {
  double process_sd = 0.0;
  double pair_sd = 0.0;
};

/// From an A/A control: pair_sd pooled over process pairs; process_sd is what medians vary beyond pi/2 pair_sd^2 /
/// pairs, the variance of a median of normal values. At least 2 process pairs; throws Error on fewer.
Noise noise_of(std::span<const ProcessTimes> control);

/// Smallest relative effect seen with power 0.8 at level 0.05 by so many process pairs of so many pairs each: `assay
/// doctor` says it for the counts that fit into 10 s (`choose_counts`).
double smallest_visible(const Noise& noise, int processes, int pairs);

}  // namespace assay::timing
