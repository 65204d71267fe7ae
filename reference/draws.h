#pragma once
#include <algorithm>
#include <cmath>

namespace assay {

/// What draws add up to beside what was expected of them, held against Bernstein's inequality, which needs no
/// particular distribution and holds for any number of independent draws: |S - E S| <= ML/3 + sqrt((ML/3)^2 + 2VL) but
/// for a chance of 2 e^-L, with V the variance of S and M the largest step from a draw's mean. (Boucheron, Lugosi and
/// Massart, Concentration Inequalities, section 2.8.)
class Likelihood {
 public:
  /// One draw: its value, and mean, variance and largest distance from the mean of what it was drawn from.
  void see(double value, double mean, double variance, double farthest) {
    off_ += value - mean;
    variance_ += std::max(variance, 0.0);
    largest_ = std::max(largest_, farthest);
  }
  bool plausible() const {
    const double third = largest_ * kLevel / 3.0;
    return std::fabs(off_) <= third + std::sqrt(third * third + 2.0 * variance_ * kLevel);
  }

 private:
  /// L: a false alarm in 2^50 tests, so that thousands of calls with dozens of tests each need no other correction.
  static constexpr double kLevel = 35.4;
  double off_ = 0.0, variance_ = 0.0, largest_ = 0.0;
};

}  // namespace assay
