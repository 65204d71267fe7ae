#include "timing/signed_rank.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "core/error.h"

// Theory of operation of src/timing.
// Everything here is a pure function; only the thin readers in environment and peaks touch the machine.
//
// The unit of evidence is a fresh pair of processes. Inside one, baseline and candidate bursts run next to each other
// in random order (schedule), a burst's cost is its wall time less a null subject's (bursts), and each pair gives d =
// ln(t_baseline / t_candidate). The median of d per process pair is one value; over those values stand the
// Hodges-Lehmann estimate and the signed-rank interval (signed_rank, processes), because layout, allocation and clock
// state differ between processes more than inside them. compare turns an interval into faster, slower, equivalent or
// inconclusive, and into pass, miss or open for a gate; mix does so for the weighted sum over shapes.
//
// Two levels of certainty: 95 % for statements about speed, shared over shapes (multiplicity) and submissions
// (campaign); and 1 - 10^-4 per audit for accusations (suspicion, consistency, slope, control). Six processes can't
// give the latter by ranks (smallest p: 1/64), so accusations use Student's t over process values *and* need all ranks
// on one side.
//
// Tests and intervals share one definition (counts of Walsh averages), so that they can't contradict each other.
namespace assay::timing {
namespace {

double pairs_of(int n) {
  return 0.5 * n * (n + 1.0);
}

double deviation_of(int n) {
  return std::sqrt(n * (n + 1.0) * (2.0 * n + 1.0) / 24.0);
}

/// Probability of each value of T: the subsets of {1 … n} by their sum, over 2^n.
std::vector<double> distribution(int n) {
  std::vector<double> p(static_cast<std::size_t>(n * (n + 1) / 2 + 1), 0.0);
  p[0] = 1.0;
  std::size_t top = 0;
  for (int rank = 1; rank <= n; ++rank) {
    const auto step = static_cast<std::size_t>(rank);
    top += step;
    for (std::size_t t = top + 1; t-- > 0;) p[t] = 0.5 * (p[t] + (t >= step ? p[t - step] : 0.0));
  }
  return p;
}

std::int64_t exact_critical_value(int n, double alpha) {
  const std::vector<double> p = distribution(n);
  double cumulated = 0.0;
  std::int64_t k = -1;
  for (const double term : p) {
    cumulated += term;
    if (2.0 * cumulated > alpha) break;
    ++k;
  }
  return k;
}

double order_statistic(std::vector<double>& values, std::int64_t index) {
  const auto at = values.begin() + index;
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double median_in_place(std::vector<double>& values) {
  const auto n = static_cast<std::int64_t>(values.size());
  const double upper = order_statistic(values, n / 2);
  return n % 2 == 1 ? upper : 0.5 * (upper + *std::max_element(values.begin(), values.begin() + n / 2));
}

/// P(T >= t) under the null.
double upper_tail(int n, std::int64_t t) {
  if (n <= kExactLimit) return signed_rank_cdf(n, static_cast<std::int64_t>(pairs_of(n)) - t);  // T is symmetric
  const boost::math::normal standard;
  return boost::math::cdf(
      boost::math::complement(standard, (static_cast<double>(t) - 0.5 * pairs_of(n)) / deviation_of(n)));
}

void require(std::span<const double> sample) {
  if (sample.empty()) throw Error("timing: a statistic of an empty sample was asked for; check counts first");
}

}  // namespace

Interval exp_of(const Interval& x) {
  return {std::exp(x.estimate), std::exp(x.low), std::exp(x.high), x.confidence, x.n};
}

Estimate exp_of(const Estimate& x) {
  if (const auto* interval = std::get_if<Interval>(&x)) return exp_of(*interval);
  return std::get<TooFew>(x);
}

std::vector<double> walsh_averages(std::span<const double> sample) {
  std::vector<double> averages;
  averages.reserve(sample.size() * (sample.size() + 1) / 2);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    for (std::size_t j = i; j < sample.size(); ++j) averages.push_back(0.5 * (sample[i] + sample[j]));
  }
  return averages;
}

double hodges_lehmann(std::span<const double> sample) {
  require(sample);
  std::vector<double> averages = walsh_averages(sample);
  return median_in_place(averages);
}

double signed_rank_cdf(int n, std::int64_t t) {
  if (t < 0) return 0.0;
  const std::vector<double> p = distribution(n);
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size() && static_cast<std::int64_t>(i) <= t; ++i) sum += p[i];
  return std::min(sum, 1.0);
}

std::int64_t critical_value(int n, double alpha) {
  if (n <= kExactLimit) return exact_critical_value(n, alpha);
  const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), 0.5 * alpha));
  return std::max<std::int64_t>(-1, static_cast<std::int64_t>(std::floor(0.5 * pairs_of(n) - z * deviation_of(n))));
}

int units_needed(double alpha) {
  if (!(alpha > 0.0)) throw Error("timing: a level must be positive");
  int n = 1;
  while (std::ldexp(1.0, 1 - n) > alpha) ++n;
  return n;
}

Estimate signed_rank_interval(std::span<const double> sample, double alpha) {
  const int n = static_cast<int>(sample.size());
  const std::int64_t k = n == 0 ? -1 : critical_value(n, alpha);
  if (k < 0) return TooFew{n, units_needed(alpha)};
  std::vector<double> averages = walsh_averages(sample);
  const auto m = static_cast<std::int64_t>(averages.size());
  const double confidence = n <= kExactLimit ? 1.0 - 2.0 * signed_rank_cdf(n, k) : 1.0 - alpha;
  return Interval{median_in_place(averages), order_statistic(averages, k), order_statistic(averages, m - k - 1),
                  confidence, n};
}

double p_above(std::span<const double> sample, double bound) {
  require(sample);
  const std::vector<double> averages = walsh_averages(sample);
  const auto above = std::count_if(averages.begin(), averages.end(), [&](double w) { return w > bound; });
  return upper_tail(static_cast<int>(sample.size()), above);
}

double p_below(std::span<const double> sample, double bound) {
  require(sample);
  const std::vector<double> averages = walsh_averages(sample);
  const auto below = std::count_if(averages.begin(), averages.end(), [&](double w) { return w < bound; });
  return upper_tail(static_cast<int>(sample.size()), below);
}

}  // namespace assay::timing
