#include "reports/json.h"

#include <utility>

#include "reports/case_json.h"
#include "reports/json_writer.h"
#include "reports/speed_json.h"

namespace assay::reports {
namespace {

using nlohmann::json;

json to_value(const EvidenceValue& value) {
  return std::visit([](const auto& held) { return json(held); }, value);
}

json to_value(const Counts& counts) {
  return {{"calls", counts.calls}, {"elements", counts.elements}, {"bytes", counts.bytes}};
}

json to_value(const Finding& finding) {
  json evidence = json::object();
  for (const auto& [key, value] : finding.evidence) evidence[key] = to_value(value);
  json value = {{"id", finding.id},
                {"check", finding.check},
                {"witness", finding.witness},
                {"threat", finding.threat},
                {"severity", name_of(finding.severity)},
                {"subject", finding.subject},
                {"message", finding.message},
                {"advice", finding.advice},
                {"shape", finding.shape},
                {"call", finding.call},
                {"lifetime", name_of(finding.lifetime)},
                {"occurrences", finding.occurrences},
                {"evidence", std::move(evidence)},
                {"replay", finding.replay}};
  if (finding.repro) value["case"] = case_to_json(*finding.repro);
  return value;
}

json to_value(const CheckResult& check) {
  return {{"id", check.id},           {"family", check.family},
          {"claim", check.claim},     {"outcome", name_of(check.outcome)},
          {"reason", check.reason},   {"counts", to_value(check.counts)},
          {"seconds", check.seconds}, {"findings", check.findings}};
}

json to_value(const SubjectInfo& subject) {
  return {{"path", subject.path}, {"digest", subject.digest}, {"symbol", subject.symbol}};
}

json to_value(const LifetimeResult& lifetime) {
  return {{"required", lifetime.required}, {"outcome", name_of(lifetime.outcome)}, {"calls", lifetime.calls}};
}

json to_value(const RunInfo& run) {
  return {{"id", run.id},
          {"started", run.started},
          {"seconds", run.seconds},
          {"depth", run.depth},
          {"seed", run.seed},
          {"device", run.device},
          {"sandbox", run.sandbox},
          {"environment", run.environment},
          {"folder", run.folder},
          {"calls", run.calls},
          {"fused_calls", run.fused_calls}};
}

json sweep_to_value(const NumericsRow& row) {
  json sweep = json::array();
  for (const SweepPoint& point : sweep_of(row)) sweep.push_back({{"k", point.k}, {"outside", point.outside}});
  return sweep;
}

json to_value(const NumericsRow& row) {
  return {{"subject", row.subject},
          {"tensor", row.tensor},
          {"elements", row.elements},
          {"max_rho", row.max_rho},
          {"rms_rho", row.rms_rho},
          {"mean_signed_rho", row.mean_signed_rho},
          {"max_abs_error", row.max_abs_error},
          {"max_rel_error", row.max_rel_error},
          {"limit", row.limit},
          {"spent_bits", row.spent_bits},
          {"sweep", sweep_to_value(row)}};
}

json to_value(const Hint& hint) {
  return {{"kind", hint.kind}, {"what", hint.what}, {"means", hint.means}};
}

json to_value(const ElsewhereRow& row) {
  return {{"rule", row.rule}, {"accepted", row.accepted}, {"trials", row.trials}};
}

template <class T>
json list_of(const std::vector<T>& items) {
  json list = json::array();
  for (const T& item : items) list.push_back(to_value(item));
  return list;
}

json to_value(const Survivor& survivor) {
  return {{"name", survivor.name}, {"damage", survivor.damage}};
}

json to_value(const AdequacyGroup& group) {
  json survivors = json::array();
  for (const Survivor& survivor : group.survivors) survivors.push_back(to_value(survivor));
  return {{"name", group.name}, {"mutants", group.mutants}, {"killed", group.killed}, {"survivors", survivors}};
}

json to_value(const AdequacySection& section) {
  json groups = json::array();
  for (const AdequacyGroup& group : section.groups) groups.push_back(to_value(group));
  return {{"shape", section.shape},
          {"reason", section.reason},
          {"groups", groups},
          {"inadequate", section.inadequate},
          {"proposals", section.proposals}};
}

/// By output, where both candidate and reference have errors.
json gaps_of(const std::vector<NumericsRow>& rows) {
  json gaps = json::object();
  for (const NumericsRow& row : rows) {
    const std::optional<double> gap = gap_bits(rows, row.tensor);
    if (row.subject == "candidate" && gap) gaps[row.tensor] = *gap;
  }
  return gaps;
}

template <class T>
json map_of(const std::map<std::string, T>& items) {
  json object = json::object();
  for (const auto& [key, item] : items) object[key] = to_value(item);
  return object;
}

}  // namespace

std::string to_json(const AuditReport& report) {
  return write_json(
      {{"schema", report.schema},
       {"tool", report.tool},
       {"run", to_value(report.run)},
       {"contract",
        {{"name", report.contract_name}, {"path", report.contract_path}, {"digest", report.contract_digest}}},
       {"subjects", map_of(report.subjects)},
       {"verdict", name_of(report.verdict)},
       {"reasons", report.reasons},
       {"checks", list_of(report.checks)},
       {"findings", list_of(report.findings)},
       {"lifetimes", map_of(report.lifetimes)},
       {"numerics",
        {{"truth", report.truth}, {"outputs", list_of(report.numerics)}, {"gap_bits", gaps_of(report.numerics)}}},
       {"adequacy", to_value(report.adequacy)},
       {"elsewhere", list_of(report.elsewhere)},
       {"speed", speed_to_value(report.speed)},
       {"not_covered", report.not_covered},
       {"hints", list_of(report.hints)}});
}

}  // namespace assay::reports
