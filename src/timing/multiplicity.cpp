#include "timing/multiplicity.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"

namespace assay::timing {

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double running = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    running = std::max(running, std::min(1.0, static_cast<double>(p.size() - i) * p[order[i]]));
    adjusted[order[i]] = running;
  }
  return adjusted;
}

double simultaneous_level(double alpha, int count) {
  if (count < 1) throw Error("timing: a level shared by no interval was asked for; check that shapes were timed");
  return alpha / count;
}

std::vector<double> split_budget(std::span<const BudgetLine> lines, double total) {
  double sum = 0.0;
  for (const BudgetLine& line : lines) {
    if (!(line.weight > 0.0))
      throw Error("timing: the false-alarm budget gives '" + line.check + "' no share; use a positive weight");
    sum += line.weight;
  }
  std::vector<double> levels;
  for (const BudgetLine& line : lines) levels.push_back(total * line.weight / sum);
  return levels;
}

}  // namespace assay::timing
