#include "timing/slope.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.h"
#include "timing/distribution.h"
#include "timing/text.h"

namespace assay::timing {
namespace {

constexpr std::size_t kFewestLengths = 3;
constexpr int kTests = 3;  // intercept, bow up, bow down

/// Shares of the longest burst, one per process pair.
struct Bends {
  std::vector<double> intercept, bow;
};

/// What an honest subject shows as well: never below zero, so a lucky baseline does not make the rule stricter.
double allowance(double baseline) {
  return std::max(0.0, baseline);
}

Bends bends_of(std::span<const Ladder> ladders, const SlopeRules& rules) {
  Bends bends;
  for (const Ladder& ladder : ladders) {
    const Line subject = fit_line(ladder.calls, ladder.subject_s, ladder.null_s);
    const Line baseline = fit_line(ladder.calls, ladder.baseline_s, ladder.null_s);
    const double longest = ladder.subject_s.back() - ladder.null_s.back();
    if (!(longest > 0.0)) continue;  // NotAboveNull has said so already
    bends.intercept.push_back((subject.intercept_s - allowance(baseline.intercept_s) - rules.seconds) / longest);
    const double bow = subject.bow_s;
    const double honest = std::min(std::abs(baseline.bow_s) + rules.seconds, std::abs(bow));
    bends.bow.push_back(std::copysign(std::abs(bow) - honest, bow) / longest);
  }
  return bends;
}

std::vector<double> negated(std::vector<double> values) {
  for (double& x : values) x = -x;
  return values;
}

Suspicion bent(const std::string& what, const Interval& share, const SlopeRules& rules) {
  return {"E23",
          what + " of " + percent_text(share.estimate) +
              " of the longest burst, where the null subject and the baseline " + "allow " +
              percent_text(rules.margin) + ": time does not follow the number of calls",
          {{"share", share.estimate},
           {"share_low", share.low},
           {"share_high", share.high},
           {"margin", rules.margin},
           {"level", rules.level},
           {"process_pairs", std::int64_t{share.n}}}};
}

/// Sum of u_i * y_i over sum of u_i^2: the least-squares coefficient of a direction u that is orthogonal to the others.
double coefficient(std::span<const double> u, std::span<const double> y) {
  double dot = 0.0, norm = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    dot += u[i] * y[i];
    norm += u[i] * u[i];
  }
  return norm > 0.0 ? dot / norm : 0.0;
}

/// x^2 with its constant and linear parts taken out (Gram-Schmidt); x is centred already.
std::vector<double> quadratic_direction(std::span<const double> x) {
  std::vector<double> squares;
  for (const double v : x) squares.push_back(v * v);
  const double level = mean(squares);
  const double tilt = coefficient(x, squares);
  for (std::size_t i = 0; i < x.size(); ++i) squares[i] -= level + tilt * x[i];
  return squares;
}

}  // namespace

Line fit_line(std::span<const double> calls, std::span<const double> wall_s, std::span<const double> null_s) {
  if (calls.size() < kFewestLengths || wall_s.size() != calls.size() || null_s.size() != calls.size()) {
    throw Error("timing: a slope needs at least 3 burst lengths, each with the subject's and the null's time");
  }
  const double centre = mean(calls);
  std::vector<double> x, y;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    x.push_back(calls[i] - centre);
    y.push_back(wall_s[i] - null_s[i]);
  }
  const double slope = coefficient(x, y);
  const double span = calls.back() - calls.front();
  const double curvature = coefficient(quadratic_direction(x), y);
  return {mean(y) - slope * centre, slope, -0.25 * curvature * span * span};
}

Consistency check_slope(std::span<const Ladder> ladders, const SlopeRules& rules) {
  const Bends bends = bends_of(ladders, rules);
  const std::vector<double> sag = negated(bends.bow);
  const std::pair<const char*, const std::vector<double>*> tests[] = {
      {"a constant part", &bends.intercept}, {"a curve", &bends.bow}, {"a curve", &sag}};
  for (const auto& [what, values] : tests) {
    const Excess excess = exceeds(*values, rules.margin, rules.level / kTests);
    if (const auto* few = std::get_if<TooFew>(&excess)) return Unmeasured{too_few_text(*few)};
    if (const auto* above = std::get_if<Above>(&excess)) return bent(what, above->interval, rules);
  }
  return Consistent{};
}

}  // namespace assay::timing
