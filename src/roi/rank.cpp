#include "roi/rank.h"

#include <algorithm>
#include <map>

#include "roi/select.h"
#include "roi/valid.h"

namespace assay::roi {
namespace {

/// Tools spell namespaces and template arguments differently: full names first, then the bare name where it is unique.
std::optional<double> roofline_of(const ProfileKernel& kernel, const Profile* floors) {
  if (kernel.roofline || !floors) return kernel.roofline;
  std::optional<double> by_short;
  int found = 0;
  for (const ProfileKernel& floor : floors->kernels) {
    if (floor.name == kernel.name) return floor.roofline;
    if (short_name(floor.name) != short_name(kernel.name)) continue;
    ++found;
    by_short = floor.roofline;
  }
  return found == 1 ? by_short : std::nullopt;
}

RoiRankRow row_of(const Profile& profile, const ProfileKernel& kernel, const Profile* floors,
                  const RankOptions& options) {
  RoiRankRow row{
      kernel.name, kernel.calls,      kernel.total_s / profile.kernel_s, 0.0, roofline_of(kernel, floors), 0.0,
      false,       kernel.replaceable};
  const bool timeline = kernel.exclusive_s && profile.window_s && *profile.window_s > 0.0;
  row.share = timeline ? *kernel.exclusive_s / *profile.window_s : row.kernel_share * options.busy_share.value_or(1.0);
  row.most_gained = row.replaceable ? row.share * (1.0 - row.roofline.value_or(0.0)) : 0.0;
  return row;
}

}  // namespace

RoiRanking rank(const Profile& profile, const Profile* floors, const RankOptions& options) {
  if (profile.floors_only)
    fail(profile.path + ": " + profile.format + " gives floors, no shares: rank a whole profile");
  if (!(profile.kernel_s > 0.0)) fail(profile.path + ": " + profile.format + " has no times to rank by");
  if (options.busy_share) check_share("busy_share", *options.busy_share);
  RoiRanking ranking;
  ranking.path = profile.path;
  ranking.format = profile.format;
  ranking.notes = profile.notes;
  ranking.mde = end_to_end_mde(options.e2e_cv, options.e2e_runs);
  ranking.ceiling = !options.busy_share && !profile.window_has_host;
  for (const ProfileKernel& kernel : profile.kernels) {
    ranking.rows.push_back(row_of(profile, kernel, floors, options));
    ranking.rows.back().detectable = ranking.rows.back().most_gained >= ranking.mde;
  }
  std::stable_sort(ranking.rows.begin(), ranking.rows.end(),
                   [](const RoiRankRow& a, const RoiRankRow& b) { return a.most_gained > b.most_gained; });
  for (std::size_t i = options.most; i < ranking.rows.size(); ++i) ranking.rest_share += ranking.rows[i].share;
  if (ranking.rows.size() > options.most)
    ranking.rows.erase(ranking.rows.begin() + static_cast<std::ptrdiff_t>(options.most), ranking.rows.end());
  return ranking;
}

std::vector<OtherKernel> others_of(const RoiRanking& ranking) {
  std::vector<OtherKernel> others;
  for (const RoiRankRow& row : ranking.rows) {
    if (row.replaceable) others.push_back({short_name(row.name), row.share, row.roofline});
  }
  return others;
}

}  // namespace assay::roi
