#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "timing/interval.h"

namespace assay::timing {

/// Largest sample whose signed-rank distribution is computed exactly; above it the normal approximation is used.
inline constexpr int kExactLimit = 50;

/// All (x_i + x_j) / 2 with i <= j: n (n + 1) / 2 of them, unsorted.
std::vector<double> walsh_averages(std::span<const double> sample);

/// Hodges-Lehmann estimate: the median of the Walsh averages. The sample must not be empty.
double hodges_lehmann(std::span<const double> sample);

/// P(T <= t) of the Wilcoxon signed-rank statistic under symmetry about 0; exact, by counting subsets of {1 … n}.
double signed_rank_cdf(int n, std::int64_t t);

/// Largest K with 2 P(T <= K) <= alpha (n <= kExactLimit), else floor(M/2 - z sqrt(n(n+1)(2n+1)/24)), M = n(n+1)/2.
/// -1: no such K, the sample is too small.
std::int64_t critical_value(int n, double alpha);

/// Smallest n with an interval of confidence 1 - alpha: 2^(1-n) <= alpha. 6 for 0.05.
int units_needed(double alpha);

/// Hodges-Lehmann with [W(K+1), W(M-K)] of the sorted Walsh averages (TIMING.md, "Comparing two subjects").
Estimate signed_rank_interval(std::span<const double> sample, double alpha);

/// One-sided p-value of "the centre lies above `bound`". Dual to the interval: p <= alpha / 2 exactly where its lower
/// end exceeds the bound. Ties count against rejection.
double p_above(std::span<const double> sample, double bound);

/// The same for "the centre lies below `bound`".
double p_below(std::span<const double> sample, double bound);

}  // namespace assay::timing
