#include "timing/distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/error.h"

namespace assay::timing {
namespace {

constexpr int kTimesForModes = 20;
constexpr double kLeastShare = 0.1;
constexpr double kLeastSeparation = 5.0;
constexpr double kLeastLogGap = 0.03;

std::vector<double> sorted(std::span<const double> values) {
  if (values.empty()) throw Error("timing: a statistic of an empty sample was asked for; check counts first");
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double quantile_of_sorted(const std::vector<double>& x, double p) {
  const double place = p * static_cast<double>(x.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, x.size() - 1);
  return x[below] + (place - static_cast<double>(below)) * (x[above] - x[below]);
}

double squares(std::span<const double> x) {
  const double m = mean(x);
  return std::accumulate(x.begin(), x.end(), 0.0, [m](double sum, double v) { return sum + (v - m) * (v - m); });
}

/// Size of the lower group at the best split. Quadratic: samples are hundreds, and a running sum would lose digits.
std::size_t best_split(std::span<const double> x, std::size_t least) {
  std::size_t best = least;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t k = least; k + least <= x.size(); ++k) {
    const double inside = squares(x.first(k)) + squares(x.subspan(k));
    if (inside < lowest) {
      lowest = inside;
      best = k;
    }
  }
  return best;
}

}  // namespace

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

double quantile(std::span<const double> values, double p) {
  return quantile_of_sorted(sorted(values), p);
}

double mean(std::span<const double> values) {
  if (values.empty()) throw Error("timing: the mean of an empty sample was asked for; check counts first");
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0.0;
  return std::sqrt(squares(values) / static_cast<double>(values.size() - 1));
}

Summary summarise(std::span<const double> seconds) {
  const std::vector<double> x = sorted(seconds);
  return {static_cast<int>(x.size()), x.front(), quantile_of_sorted(x, 0.5), quantile_of_sorted(x, 0.99), x.back()};
}

Modes modes_of(std::span<const double> seconds) {
  const int n = static_cast<int>(seconds.size());
  if (n < kTimesForModes) return TooFewForModes{n, kTimesForModes};
  std::vector<double> logs = sorted(seconds);
  if (!(logs.front() > 0.0)) return OneMode{};
  for (double& x : logs) x = std::log(x);
  const auto least = static_cast<std::size_t>(std::ceil(kLeastShare * n));
  const std::size_t split = best_split(logs, least);
  const std::span<const double> lower(logs.data(), split);
  const std::span<const double> upper = std::span<const double>(logs).subspan(split);
  const double gap = mean(upper) - mean(lower);
  const double spread = std::hypot(standard_deviation(lower), standard_deviation(upper));
  const double separation = spread > 0.0 ? std::sqrt(2.0) * gap / spread : std::numeric_limits<double>::max();
  if (gap < kLeastLogGap || separation < kLeastSeparation) return OneMode{};
  return TwoModes{std::exp(median(lower)), std::exp(median(upper)), static_cast<double>(upper.size()) / n, separation};
}

}  // namespace assay::timing
