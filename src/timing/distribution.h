#pragma once
#include <span>
#include <variant>

namespace assay::timing {

/// Median; the mean of the middle two for even counts. Not empty.
double median(std::span<const double> values);

/// Quantile by linear interpolation of order statistics (Hyndman and Fan 1996, type 7), p in [0, 1]. Not empty.
double quantile(std::span<const double> values, double p);

/// Mean, and standard deviation with n - 1 (0 where n < 2). Not empty.
double mean(std::span<const double> values);
double standard_deviation(std::span<const double> values);

/// Times of one side at one shape, in seconds.
struct Summary {
  int n = 0;
  double min_s = 0.0, p50_s = 0.0, p99_s = 0.0, max_s = 0.0;
};
Summary summarise(std::span<const double> seconds);

struct OneMode {};
/// Two separate groups of times; `upper_share` of the calls are in the slow one.
struct TwoModes {
  double lower_s = 0.0, upper_s = 0.0;
  double upper_share = 0.0;
  double separation = 0.0;  ///< Ashman's D of the logarithms (Ashman, Bird and Zepf 1994)
};
struct TooFewForModes {
  int have = 0, need = 0;
};
using Modes = std::variant<OneMode, TwoModes, TooFewForModes>;

/// Splits the logarithms where the sum of squares inside both groups is least; two modes iff each group holds a tenth
/// of the times, Ashman's D exceeds 5 (a normal split in half gives 2.6, a uniform 3.5) and the modes lie 3 % apart.
Modes modes_of(std::span<const double> seconds);

}  // namespace assay::timing
