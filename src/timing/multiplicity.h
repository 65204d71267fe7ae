#pragma once
#include <span>
#include <string>
#include <vector>

namespace assay::timing {

/// Holm's step-down adjusted p-values in the order given (Holm 1979); reject those <= alpha. Each at most 1.
std::vector<double> holm(std::span<const double> p);

/// Level of each of `count` intervals that hold together with confidence 1 - alpha: alpha / count. Throws where count
/// < 1.
double simultaneous_level(double alpha, int count);

inline constexpr double kFalseAlarms = 1e-4;  ///< per audit, for decisions that the candidate is guilty

/// A check that accuses, and how much of the budget it takes relative to the others.
struct BudgetLine {
  std::string check;
  double weight = 1.0;
};

/// Splits `total` by weight: the sum of the levels is `total`, so the chance of any false accusation is at most that
/// (Bonferroni). In the order given; throws on a weight that is not positive.
std::vector<double> split_budget(std::span<const BudgetLine> lines, double total = kFalseAlarms);

}  // namespace assay::timing
