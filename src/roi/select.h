#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/roi_result.h"
#include "roi/profile.h"

/// Which kernels of a profile are meant, and what share of the workload they are.
namespace assay::roi {

/// A pattern picks the names that hold it as a text, or as a regular expression (ECMAScript, searched anywhere). Throws
/// assay::Error (exit 2) if it is empty or no regular expression.
std::function<bool(std::string_view)> picks_of(const std::string& pattern);

struct MatchedKernel {
  std::string name;
  std::int64_t calls = 0;
  double total_s = 0.0;
  double kernel_share = 0.0;  ///< of the time of all kernels
};

/// What a pattern picked.
struct Selection {
  std::vector<MatchedKernel> kernels;  ///< largest first, never empty
  double kernel_share = 0.0;           ///< of the time of all kernels
  std::optional<double> wall_share;    ///< of wall time while nothing else ran: f
  std::optional<double> active_share;  ///< of wall time while any of them ran: no less than wall_share
  std::optional<double> busy_share;    ///< of wall time while the device did anything
  double matched_s = 0.0, unmatched_s = 0.0;
  double hot_fraction = 0.0;  ///< the best that is known of f
  bool ceiling = false;       ///< hot_fraction is a share of device time: no less than f
  std::vector<std::string> notes;
};

/// `profile` must have been read with picks_of(pattern). `busy_share` is the device's busy share of wall time where the
/// profile has no timeline of its own. Throws assay::Error (exit 2) if nothing matches, with near names, or if the
/// profile can't give shares (ncu, subgraphs).
Selection select(const Profile& profile, const std::string& pattern, std::optional<double> busy_share);

/// "vectorized_layer_norm_kernel" of "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>(…)".
std::string short_name(std::string_view name);

}  // namespace assay::roi
