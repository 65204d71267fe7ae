#include "roi/amdahl.h"

#include <cmath>
#include <limits>

#include "roi/valid.h"

namespace assay::roi {
namespace {

/// Shares that come from divisions may exceed 1 by rounding.
constexpr double kSumSlack = 1e-9;

void check(std::span<const Part> parts) {
  double sum = 0.0;
  for (const Part& part : parts) {
    check_share("share", part.share);
    check_speedup("speed-up", part.speedup);
    check_speedup("speed-up of the alternative", part.alternative_speedup);
    sum += part.share;
  }
  if (sum > 1.0 + kSumSlack) {
    fail("the shares of all kernels sum to " + number_text(sum) +
         ", more than all of the time: shares must be of one workload's wall time and not overlap");
  }
}

double time_after(std::span<const Part> parts) {
  double time = 0.0;
  for (const Part& part : parts) time += part.share / part.speedup;
  return time;
}

double sum_of_shares(std::span<const Part> parts) {
  double sum = 0.0;
  for (const Part& part : parts) sum += part.share;
  return sum;
}

}  // namespace

double saved_fraction(std::span<const Part> parts) {
  check(parts);
  double saved = 0.0;
  for (const Part& part : parts) saved += part.share * (1.0 / part.alternative_speedup - 1.0 / part.speedup);
  return saved;
}

double speedup_of_saved(double saved) {
  if (saved >= 1.0) return std::numeric_limits<double>::infinity();
  return 1.0 / (1.0 - saved);
}

double end_to_end_speedup(std::span<const Part> parts) {
  check(parts);
  double alternative = 1.0, candidate = 1.0;
  for (const Part& part : parts) {
    alternative -= part.share * (1.0 - 1.0 / part.alternative_speedup);
    candidate -= part.share * (1.0 - 1.0 / part.speedup);
  }
  return candidate > 0.0 ? alternative / candidate : std::numeric_limits<double>::infinity();
}

double combined_speedup(std::span<const Part> parts) {
  check(parts);
  const double before = sum_of_shares(parts), after = time_after(parts);
  if (before == 0.0) return 1.0;
  return after > 0.0 ? before / after : std::numeric_limits<double>::infinity();
}

double ceiling_speedup(std::span<const Part> parts) {
  check(parts);
  return speedup_of_saved(sum_of_shares(parts));
}

double roofline_saved_fraction(std::span<const double> shares, std::span<const double> floor_ratios) {
  if (shares.size() != floor_ratios.size()) fail("every share needs a floor beside it");
  double saved = 0.0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    check_share("share", shares[i]);
    check_share("floor over today's time", floor_ratios[i]);
    saved += shares[i] * (1.0 - floor_ratios[i]);
  }
  return saved;
}

std::optional<double> break_even_speedup(double share, double needed) {
  check_share("share", share);
  if (!(needed >= 0.0)) fail("the saving to break even is " + number_text(needed) + ": it can't be negative");
  if (needed >= share) return std::nullopt;
  return share / (share - needed);
}

void split_share(double share, std::span<const MixShape> mix, std::span<double> shares) {
  check_share("share", share);
  if (mix.size() != shares.size()) fail("every shape needs a share beside it");
  double total = 0.0;
  for (const MixShape& shape : mix) {
    check_not_negative("weight of a shape", shape.weight);
    check_positive("time of a shape", shape.time_s);
    total += shape.weight * shape.time_s;
  }
  if (!(total > 0.0)) fail("the weights of all shapes are zero: production calls none of them");
  for (std::size_t i = 0; i < mix.size(); ++i) shares[i] = share * mix[i].weight * mix[i].time_s / total;
}

double saved_fraction_deviation(double share, double share_deviation, double speedup, double speedup_deviation) {
  check_share("share", share);
  check_speedup("speed-up", speedup);
  const double by_share = (1.0 - 1.0 / speedup) * share_deviation;
  const double by_speedup = share / (speedup * speedup) * speedup_deviation;
  return std::hypot(by_share, by_speedup);
}

double speedup_of_times(double before_s, double after_s) {
  check_positive("time before", before_s);
  check_positive("time after", after_s);
  return before_s / after_s;
}

std::optional<double> setup_break_even_calls(double setup_s, double saved_per_call_s) {
  check_not_negative("set-up time", setup_s);
  if (std::isnan(saved_per_call_s)) fail("the time saved per call is not a number");
  if (saved_per_call_s <= 0.0) return std::nullopt;
  return setup_s / saved_per_call_s;
}

namespace {
constexpr double kMdeFactor = 2.8;  // z(0.975) + z(0.80), two sided
}

double end_to_end_mde(double cv, double runs) {
  check_not_negative("coefficient of variation", cv);
  check_positive("number of runs", runs);
  return kMdeFactor * std::sqrt(2.0) * cv / std::sqrt(runs);
}

double runs_to_resolve(double cv, double fraction) {
  check_not_negative("coefficient of variation", cv);
  check_positive("change to resolve", fraction);
  const double root = kMdeFactor * std::sqrt(2.0) * cv / fraction;
  return std::ceil(root * root);
}

}  // namespace assay::roi
