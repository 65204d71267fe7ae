#include "reports/speed_json.h"

namespace assay::reports {
namespace {

using nlohmann::json;

/// A time, rate or weight of 0 means that there is none: the key is left out.
void put(json& value, const char* key, double number) {
  if (number > 0.0) value[key] = number;
}

void put(json& value, const char* key, const std::string& text) {
  if (!text.empty()) value[key] = text;
}

json to_value(const SpeedInterval& x) {
  return {{"estimate", x.estimate}, {"low", x.low}, {"high", x.high}, {"confidence", x.confidence}};
}

json to_value(const RegimeSpeed& speed) {
  json value = {{"regime", speed.regime},
                {"effect", speed.effect},
                {"process_pairs", speed.process_pairs},
                {"pairs", speed.pairs},
                {"process_variance", speed.process_variance},
                {"pair_variance", speed.pair_variance}};
  put(value, "baseline_s", speed.baseline_s);
  put(value, "candidate_s", speed.candidate_s);
  put(value, "baseline_p99_s", speed.baseline_p99_s);
  put(value, "candidate_p99_s", speed.candidate_p99_s);
  put(value, "reason", speed.reason);
  if (speed.speedup) value["speedup"] = to_value(*speed.speedup);
  if (speed.detectable) value["detectable_effect"] = *speed.detectable;
  if (speed.p) value["p"] = *speed.p;
  return value;
}

json to_value(const SpeedStanding& at) {
  return {{"class", at.kind},
          {"floor_s", at.floor_s},
          {"share", at.share},
          {"headroom", at.headroom},
          {"bytes_per_s", at.bytes_per_s},
          {"flops_per_s", at.flops_per_s},
          {"limit", at.memory_limits ? "memory" : "arithmetic"}};
}

json to_value(const SpeedRow& row) {
  json value = {{"shape", row.shape}, {"calls", row.calls}};
  put(value, "reference_s", row.reference_s);
  put(value, "candidate_s", row.candidate_s);
  put(value, "weight", row.weight);
  if (!row.notes.empty()) value["notes"] = row.notes;
  if (row.method.empty()) return value;
  value["method"] = row.method;
  value["call_bound"] = row.call_bound;
  value["regimes"] = json::array();
  for (const RegimeSpeed& regime : row.regimes) value["regimes"].push_back(to_value(regime));
  if (row.regimes.front().speedup) value["speedup"] = to_value(*row.regimes.front().speedup);
  put(value, "baseline_first_call_s", row.baseline_first_call_s);
  put(value, "candidate_first_call_s", row.candidate_first_call_s);
  put(value, "candidate_single_s", row.candidate_single_s);
  put(value, "candidate_told_s", row.candidate_told_s);
  put(value, "processors", row.processors);
  if (row.standing) value["roofline"] = to_value(*row.standing);
  return value;
}

}  // namespace

json speed_to_value(const SpeedSection& speed) {
  json value = {{"shapes", json::array()}};
  for (const SpeedRow& row : speed.shapes) value["shapes"].push_back(to_value(row));
  if (!speed.untimed.empty()) value["not_measured"] = speed.untimed;
  if (!speed.untimed.empty() || !speed.control) return value;
  value["fit"] = speed.fit;
  value["delta"] = speed.delta;
  value["control"] = to_value(*speed.control);
  if (speed.mix) value["mix"] = to_value(*speed.mix);
  put(value, "baseline_load_s", speed.baseline_load_s);
  put(value, "candidate_load_s", speed.candidate_load_s);
  put(value, "empty_call_s", speed.empty_call_s);
  put(value, "seconds", speed.seconds);
  put(value, "campaign", speed.campaign);
  if (!speed.disturbances.empty()) value["disturbances"] = speed.disturbances;
  if (speed.peaks) {
    value["peaks"] = {{"bytes_per_s", speed.peaks->bytes_per_s},
                      {"f32_flops_per_s", speed.peaks->f32_flops_per_s},
                      {"f64_flops_per_s", speed.peaks->f64_flops_per_s},
                      {"instructions", speed.peaks->instructions}};
  }
  return value;
}

}  // namespace assay::reports
