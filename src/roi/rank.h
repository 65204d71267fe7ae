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

/// A kernel as a candidate for a search.
struct RankRow {
  std::string name;
  std::int64_t calls = 0;
  double kernel_share = 0.0;       ///< of the time of all kernels
  double share = 0.0;              ///< of wall time where that is known, else of kernel time
  std::optional<double> roofline;  ///< share of a measured peak that it reaches; headroom is the rest
  double most_gained = 0.0;        ///< of the workload: share x headroom, the whole share where none is known
  bool detectable = false;         ///< by the end-to-end runs
  bool replaceable = true;
};

struct Ranking {
  std::vector<RankRow> rows;  ///< most to be gained first
  bool ceiling = false;       ///< shares are of kernel time
  double mde = 0.0;           ///< the smallest end-to-end change that is detected
  double rest_share = 0.0;    ///< of kernels beyond the rows
};

/// What to optimise first. `floors` is a profile of ncu of the same workload, or null: its kernels are joined by name.
/// Throws assay::Error (exit 2) where the profile has no times.
Ranking rank(const Profile& profile, const Profile* floors, const RankOptions& options);

/// The rows as alternatives for the gate before a search.
std::vector<OtherKernel> others_of(const Ranking& ranking);

}  // namespace assay::roi
