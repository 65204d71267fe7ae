#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract.h"

/// What a win is worth, as reports show it (ROI.md, "Output"). Plain data: roi/ fills it, reports/ read it.
namespace assay {

/// A number and, where anything that it follows from is uncertain, its percentiles. Infinite stands for "never" (a
/// payback) or "without limit" (a ceiling): reports print null and the reason beside it.
struct RoiEstimate {
  double value = 0.0;
  std::optional<Quantiles> spread;
};

enum class RoiGate : std::uint8_t { none, fund, do_not_search, deploy, do_not_deploy };

struct RoiGateInfo {
  RoiGate gate;
  std::string_view name;   ///< of the JSON key `gate`
  std::string_view words;  ///< for people
};

/// One row per gate, in the order of the enumeration.
inline constexpr std::array<RoiGateInfo, 5> kRoiGates{{
    {RoiGate::none, "none", "CAN'T TELL"},
    {RoiGate::fund, "fund", "FUND"},
    {RoiGate::do_not_search, "do_not_search", "DO_NOT_SEARCH"},
    {RoiGate::deploy, "deploy", "DEPLOY"},
    {RoiGate::do_not_deploy, "do_not_deploy", "DO_NOT_DEPLOY"},
}};

constexpr const RoiGateInfo& info(RoiGate gate) {
  return kRoiGates[static_cast<std::size_t>(gate)];
}

/// What is known about the speed of one kernel or shape. Only `audited` is credited; the others count as 1.0x.
enum class SpeedStatus : std::uint8_t { audited, not_audited, failed };

constexpr std::string_view name_of(SpeedStatus status) {
  constexpr std::array<std::string_view, 3> kNames{"audited", "not_audited", "failed"};
  return kNames[static_cast<std::size_t>(status)];
}

/// One kernel, or one production shape of it.
struct RoiShapeRow {
  std::string shape;
  double share = 0.0;           ///< of the workload's wall time today
  double speedup = 1.0;         ///< as credited
  double saved_fraction = 0.0;  ///< of the workload; negative: a regression
  SpeedStatus status = SpeedStatus::audited;
};

/// The smallest end-to-end change that `runs` runs of each side resolve (ROI.md, "Uncertainty").
struct RoiMde {
  std::int64_t runs = 0;
  double cv = 0.0;
  double fraction = 0.0;
  std::optional<std::int64_t> runs_needed;  ///< to resolve the predicted saved fraction; nothing: there is none to see
};

/// A point of the curve of end-to-end speed-up against the kernel's speed-up.
struct RoiPoint {
  double speedup = 1.0;
  double end_to_end = 1.0;
};

/// The JSON keys are the names of the fields.
struct RoiResult {
  RoiEstimate hot_fraction;  ///< of all kernels together
  RoiEstimate speedup;       ///< of the kernels' own time together: sum f / sum (f / s)
  RoiEstimate end_to_end_speedup;
  RoiEstimate saved_fraction;
  RoiEstimate ceiling_speedup;
  std::optional<RoiEstimate> saving_usd_per_month;  ///< before maintenance; nothing: `saving_reason` says why
  std::string saving_reason;
  std::optional<RoiEstimate> payback_days;  ///< nothing: never, or not known, and `payback_reason` says why
  std::string payback_reason;

  std::string source;     ///< where the share and the speed-up come from
  bool observed = false;  ///< false: predicted, not observed
  std::optional<double> roofline_ceiling_speedup;
  std::optional<double> claimed_speedup, audited_lower_speedup, inflation;
  std::vector<RoiShapeRow> per_shape;
  std::optional<double> break_even_speedup;
  std::string break_even_reason;  ///< why there is none
  std::optional<double> campaign_cost_usd;
  std::optional<double> horizon_months;
  std::optional<RoiEstimate> net_usd;  ///< over the horizon: saving less campaign and maintenance
  std::optional<double> setup_break_even_calls;
  std::optional<RoiMde> e2e_mde;
  RoiGate gate = RoiGate::none;
  std::vector<std::string> reasons;
  std::vector<std::string> assumptions;  ///< what was taken as given because nobody said
  std::vector<std::string> left_out;     ///< what the sum does not hold
  std::vector<std::string> better;       ///< kernels that would pay more, largest first
  std::vector<RoiPoint> curve;           ///< end to end against the kernel, for plots
  std::int64_t draws = 0;                ///< of the Monte Carlo; 0: nothing was uncertain
};

/// A kernel that a pattern picked out of a profile.
struct RoiMatch {
  std::string name;
  std::int64_t calls = 0;
  double kernel_share = 0.0;  ///< of the time of all kernels
};

/// What a profile said about the share; both shares are shown where both are known.
struct RoiTrace {
  std::string path, format;
  double kernel_share = 0.0;
  std::optional<double> wall_share;    ///< while nothing else ran
  std::optional<double> active_share;  ///< while any of them ran
  std::optional<double> busy_share;    ///< of the device
  double matched_s = 0.0, unmatched_s = 0.0;
  std::vector<RoiMatch> matches;  ///< largest first
  std::vector<std::string> notes;
};

/// A kernel as a candidate for a search.
struct RoiRankRow {
  std::string name;
  std::int64_t calls = 0;
  double kernel_share = 0.0;       ///< of the time of all kernels
  double share = 0.0;              ///< of wall time where that is known, else of kernel time
  std::optional<double> roofline;  ///< share of a measured peak that it reaches; headroom is the rest
  double most_gained = 0.0;        ///< of the workload: share x headroom, the whole share where none is known
  bool detectable = false;         ///< by the end-to-end runs
  bool replaceable = true;
};

struct RoiRanking {
  std::string path, format;
  std::vector<RoiRankRow> rows;  ///< most to be gained first
  bool ceiling = false;          ///< shares are of device time
  double mde = 0.0;              ///< the smallest end-to-end change that is detected
  double rest_share = 0.0;       ///< of kernels beyond the rows
  std::vector<std::string> notes;
};

/// All that `assay roi` answers. Parts that were not asked for are empty.
struct RoiAnswer {
  std::optional<RoiResult> result;
  std::optional<RoiTrace> trace;
  std::optional<RoiRanking> ranking;
  std::vector<std::string> plot;
};

}  // namespace assay
