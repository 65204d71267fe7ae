#pragma once
#include <optional>
#include <span>

/// Amdahl's law and what follows from it (ROI.md, "Formulas"). Shares are fractions of wall time on the critical path
/// today; every function throws assay::Error (exit 2) on a share outside [0, 1], a speed-up that is not positive, NaN,
/// or shares that sum to more than 1.
namespace assay::roi {

/// One kernel, or one shape of it.
struct Part {
  double share = 0.0;
  double speedup = 1.0;              ///< over what runs today; infinite: its time vanishes
  double alternative_speedup = 1.0;  ///< of what would be deployed instead: only the difference is credited
};

/// D = sum f_i (1/a_i - 1/s_i), where a_i is the alternative's speed-up: the fraction of today's time that is saved
/// beyond the alternative. Regressions are negative terms.
double saved_fraction(std::span<const Part> parts);

/// S = (1 - D_a) / (1 - D_a - D): end to end over the alternative; 1/(1 - D) where there is none.
double end_to_end_speedup(std::span<const Part> parts);

/// f / sum(f_i / s_i): the speed-up of the parts' own time together. 1 if they have no time.
double combined_speedup(std::span<const Part> parts);

/// 1/(1 - sum f_i): infinite speed-up of every part. Infinite if the parts are all of the time.
double ceiling_speedup(std::span<const Part> parts);

/// sum f_i (1 - r_i) with r_i = floor time / time today in [0, 1]: what a kernel at its physical floor would save.
double roofline_saved_fraction(std::span<const double> shares, std::span<const double> floor_ratios);

/// 1/(1 - D), infinite at D = 1.
double speedup_of_saved(double saved);

/// The speed-up s* of a kernel of share `share` that saves the fraction `needed`: f/(f - needed). Nothing if even an
/// infinite one does not (needed >= share).
std::optional<double> break_even_speedup(double share, double needed);

/// What a shape costs in production.
struct MixShape {
  double weight = 0.0;  ///< how often it is called, in any unit
  double time_s = 0.0;  ///< of one call today
};

/// Splits a kernel's share over its shapes: f_j = f w_j t_j / sum w_k t_k, written to `shares` (same length).
void split_share(double share, std::span<const MixShape> mix, std::span<double> shares);

/// Standard deviation of D = f(1 - 1/s) by the delta method: sqrt((1 - 1/s)^2 var f + (f/s^2)^2 var s).
double saved_fraction_deviation(double share, double share_deviation, double speedup, double speedup_deviation);

/// Old time / new time; throws on a time that is not positive and finite.
double speedup_of_times(double before_s, double after_s);

/// Calls until set-up has paid: set-up time / time saved per call. Nothing if a call saves nothing.
std::optional<double> setup_break_even_calls(double setup_s, double saved_per_call_s);

/// 2.8 sqrt(2) CV / sqrt(n): the smallest end-to-end change that n runs of each side resolve (5 %, power 80 %).
double end_to_end_mde(double cv, double runs);

/// The fewest runs of each side that resolve a change of `fraction`.
double runs_to_resolve(double cv, double fraction);

}  // namespace assay::roi
