#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/roi_result.h"
#include "roi/amdahl.h"

/// How uncertainty of shares, speed-ups and the mix reaches the result (ROI.md, "Uncertainty").
namespace assay::roi {

/// One production shape of a kernel.
struct ShapeInput {
  std::string name;
  Quantiles weight{1.0, 1.0, 1.0};  ///< how often production calls it
  double time_s = 0.0;              ///< of one call today
  Quantiles speedup{1.0, 1.0, 1.0};
  SpeedStatus status = SpeedStatus::audited;
  double alternative_speedup = 1.0;   ///< of what would be deployed instead, over today's
  std::optional<double> floor_ratio;  ///< physical floor / time today
};

/// A kernel's share of wall time today, split over its shapes by weight x time. A kernel without shapes to tell apart
/// has one of any weight and time.
struct KernelInput {
  std::string name;
  Quantiles share;
  std::vector<ShapeInput> shapes;
};

/// Percentiles of what follows.
struct Spread {
  std::int64_t draws = 0;  ///< 0: no input is uncertain
  Quantiles share, speedup, saved, end_to_end;
};

constexpr bool is_point(const Quantiles& q) {
  return q.p05 == q.p50 && q.p50 == q.p95;
}

/// The parts at the medians. Only audited shapes are credited; the others count as 1.0x.
std::vector<Part> parts_of(std::span<const KernelInput> kernels);

/// Draws every uncertain input independently: shares from two half normals that meet at p50 and hit p05 and p95, held
/// in [0, 1]; speed-ups and weights likewise in the logarithm. The same inputs give the same percentiles. `dispatch` is
/// the share of wall time that choosing between kernels costs.
Spread simulate(std::span<const KernelInput> kernels, double dispatch, std::int64_t draws, std::uint64_t seed = 1);

/// The 5th, 50th and 95th percentile as order statistics; reorders `values`, which must not be empty.
Quantiles quantiles_of(std::vector<double>& values);

/// A two-sided interval of a positive quantity as percentiles: normal in the logarithm. `confidence` such as 0.95.
Quantiles quantiles_from_interval(double estimate, double low, double high, double confidence);

}  // namespace assay::roi
