#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roi/gate.h"
#include "roi/profile.h"

namespace assay::roi {

struct RankOptions {
  std::optional<double> busy_share;  ///< where the profile has no timeline
  double e2e_cv = 0.0284;            ///< of end-to-end runs (ROI.md's example: say so)
  double e2e_runs = 5;
  std::size_t most = 20;  ///< rows
};

/// What to optimise first. `floors` is a profile of ncu of the same workload, or null: its kernels are joined by name.
/// Throws assay::Error (exit 2) where the profile has no times.
RoiRanking rank(const Profile& profile, const Profile* floors, const RankOptions& options);

/// The rows as alternatives for the gate before a search.
std::vector<OtherKernel> others_of(const RoiRanking& ranking);

}  // namespace assay::roi
