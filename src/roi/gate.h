#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "roi/assess.h"

/// Whether to search at all, whether to go on, and whether to search again (ROI.md, "The gate before a search").
namespace assay::roi {

/// Below and above which a search has not paid for others. Both can be told otherwise.
struct GatePolicy {
  double min_share = 0.02;        ///< of wall time
  double refuse_roofline = 0.85;  ///< today's kernel already this near its physical floor
};

/// What the last campaign returned end to end.
struct PreviousCampaign {
  std::string report;
  std::optional<Quantiles> saved_fraction;  ///< measured; nothing: nobody measured it
};

/// A kernel that could be searched for instead.
struct OtherKernel {
  std::string name;
  double share = 0.0;
  std::optional<double> floor_ratio;
};

struct GateRequest {
  Inputs inputs;  ///< speed-ups are not looked at
  GatePolicy policy;
  std::optional<PreviousCampaign> previous;
  std::vector<OtherKernel> others;
};

/// FUND only if the 5th percentile of what D_SOL x attainable share saves over the horizon exceeds the campaign's cost
/// and upkeep, the kernel can be replaced, and the last campaign's return was measured and positive. The figures of the
/// result are those of a kernel that attains that. Gate `none` where the cost or price is not given.
RoiResult gate_before(const GateRequest& request);

/// A finished round of a search: the best audited speed-up so far.
struct Round {
  double speedup = 1.0;
};

struct LoopState {
  double share = 0.0;
  Terms terms;
  std::vector<Round> rounds;          ///< in order
  double next_cost_usd = 0.0;         ///< of the round to come
  std::optional<double> floor_ratio;  ///< physical floor / time today
  double stop_at_roofline = 0.95;
  int window = 3;  ///< the rounds whose mean gain the next is expected to have
};

struct GoOn {
  double value_usd = 0.0, cost_usd = 0.0;
};
struct Stop {
  std::string reason;
};
using NextRound = std::variant<GoOn, Stop>;

/// Stops where the next round is worth less over the horizon than it costs, or the roofline is reached. The next round
/// is expected to gain what the last `window` gained on average, but no more than the roofline leaves.
NextRound next_round(const LoopState& state);

}  // namespace assay::roi
