#include "reports/roi_json.h"

#include <cmath>

#include "reports/json_writer.h"

namespace assay::reports {
namespace {

using nlohmann::json;

/// "Never" and "without limit" are null; the reason stands beside it.
json finite(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

json to_value(const RoiEstimate& estimate) {
  if (!estimate.spread) return finite(estimate.value);
  const Quantiles& q = *estimate.spread;
  return {{"p05", finite(q.p05)}, {"p50", finite(q.p50)}, {"p95", finite(q.p95)}};
}

template <class T>
json maybe(const std::optional<T>& value) {
  if (!value) return nullptr;
  if constexpr (std::is_same_v<T, RoiEstimate>) {
    return to_value(*value);
  } else if constexpr (std::is_same_v<T, double>) {
    return finite(*value);
  } else {
    return json(*value);
  }
}

json to_value(const RoiShapeRow& row) {
  return {{"shape", row.shape},
          {"share", row.share},
          {"speedup", finite(row.speedup)},
          {"saved_fraction", row.saved_fraction},
          {"speed", name_of(row.status)}};
}

json to_value(const RoiMde& mde) {
  return {{"runs", mde.runs}, {"cv", mde.cv}, {"fraction", mde.fraction}, {"runs_needed", maybe(mde.runs_needed)}};
}

json to_value(const RoiPoint& point) {
  return {{"speedup", point.speedup}, {"end_to_end_speedup", finite(point.end_to_end)}};
}

json to_value(const RoiMatch& match) {
  return {{"name", match.name}, {"calls", match.calls}, {"kernel_share", match.kernel_share}};
}

json to_value(const RoiRankRow& row) {
  return {{"name", row.name},
          {"calls", row.calls},
          {"kernel_share", row.kernel_share},
          {"share", row.share},
          {"roofline", maybe(row.roofline)},
          {"most_gained", row.most_gained},
          {"detectable", row.detectable},
          {"replaceable", row.replaceable}};
}

template <class T>
json list_of(const std::vector<T>& items) {
  json list = json::array();
  for (const T& item : items) list.push_back(to_value(item));
  return list;
}

json to_value(const RoiTrace& trace) {
  return {{"path", trace.path},
          {"format", trace.format},
          {"kernel_share", trace.kernel_share},
          {"wall_share", maybe(trace.wall_share)},
          {"active_share", maybe(trace.active_share)},
          {"busy_share", maybe(trace.busy_share)},
          {"matched_s", trace.matched_s},
          {"unmatched_s", trace.unmatched_s},
          {"kernels", list_of(trace.matches)},
          {"notes", trace.notes}};
}

json to_value(const RoiRanking& ranking) {
  return {{"path", ranking.path},
          {"format", ranking.format},
          {"kernels", list_of(ranking.rows)},
          {"share_is_ceiling", ranking.ceiling},
          {"e2e_mde", ranking.mde},
          {"rest_share", ranking.rest_share},
          {"notes", ranking.notes}};
}

}  // namespace

json roi_value(const RoiResult& result) {
  return {{"hot_fraction", to_value(result.hot_fraction)},
          {"speedup", to_value(result.speedup)},
          {"end_to_end_speedup", to_value(result.end_to_end_speedup)},
          {"saved_fraction", to_value(result.saved_fraction)},
          {"ceiling_speedup", to_value(result.ceiling_speedup)},
          {"saving_usd_per_month", maybe(result.saving_usd_per_month)},
          {"saving_reason", result.saving_reason},
          {"payback_days", maybe(result.payback_days)},
          {"payback_reason", result.payback_reason},
          {"source", result.source},
          {"observed", result.observed},
          {"roofline_ceiling_speedup", maybe(result.roofline_ceiling_speedup)},
          {"claimed_speedup", maybe(result.claimed_speedup)},
          {"audited_lower_speedup", maybe(result.audited_lower_speedup)},
          {"inflation", maybe(result.inflation)},
          {"per_shape", list_of(result.per_shape)},
          {"break_even_speedup", maybe(result.break_even_speedup)},
          {"break_even_reason", result.break_even_reason},
          {"campaign_cost_usd", maybe(result.campaign_cost_usd)},
          {"horizon_months", maybe(result.horizon_months)},
          {"net_usd", maybe(result.net_usd)},
          {"setup_break_even_calls", maybe(result.setup_break_even_calls)},
          {"e2e_mde", result.e2e_mde ? to_value(*result.e2e_mde) : json(nullptr)},
          {"gate", info(result.gate).name},
          {"reasons", result.reasons},
          {"assumptions", result.assumptions},
          {"left_out", result.left_out},
          {"better", result.better},
          {"curve", list_of(result.curve)},
          {"draws", result.draws}};
}

std::string roi_to_json(const RoiAnswer& answer) {
  json value = json::object();
  if (answer.result) value["roi"] = roi_value(*answer.result);
  if (answer.trace) value["trace"] = to_value(*answer.trace);
  if (answer.ranking) value["ranking"] = to_value(*answer.ranking);
  return write_json(value);
}

std::string claim_to_json(const ClaimReport& report) {
  json table = nullptr;
  if (report.table) {
    table = {{"path", report.table->path},
             {"format", report.table->format},
             {"geomean_speedup", report.table->geomean},
             {"lowest_speedup", report.table->low},
             {"highest_speedup", report.table->high},
             {"workloads", report.table->workloads},
             {"losing", report.table->losing},
             {"losing_share", report.table->losing_share},
             {"failed", report.table->failed}};
  }
  return write_json({{"claim", report.claim},
                     {"source", report.source},
                     {"verdict", report.verdict},
                     {"sentence", report.sentence},
                     {"claimed_speedup", maybe(report.claimed_speedup)},
                     {"found_speedup", maybe(report.found_speedup)},
                     {"overstated_by", maybe(report.overstated_by)},
                     {"fair_speedup", maybe(report.fair_speedup)},
                     {"table", table},
                     {"unstated", report.unstated},
                     {"notes", report.notes}});
}

}  // namespace assay::reports
