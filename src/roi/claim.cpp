#include "roi/claim.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>

#include "roi/valid.h"

namespace assay::roi {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// "H200" and "NVIDIA H200" are one; an unstated word agrees with everything.
bool agree(const std::string& a, const std::string& b) {
  const std::string first = lower(a), second = lower(b);
  return first.find(second) != std::string::npos || second.find(first) != std::string::npos;
}

std::vector<std::string> unstated_of(const Claim& claim) {
  struct Row {
    std::string_view what;
    std::string Claim::*field;
  };
  constexpr std::array<Row, 11> kRows{{{"whose result it is (system)", &Claim::system},
                                       {"the benchmark and its level", &Claim::level},
                                       {"what counts as a pass", &Claim::pass_definition},
                                       {"the inputs of the correctness check", &Claim::correctness_inputs},
                                       {"how many workloads passed", &Claim::workloads_passed},
                                       {"what it is faster than (baseline)", &Claim::baseline},
                                       {"which version is meant (candidate)", &Claim::candidate},
                                       {"the hardware", &Claim::hardware},
                                       {"the shapes", &Claim::shapes},
                                       {"the tolerance", &Claim::tolerance},
                                       {"where it was published (source)", &Claim::source}}};
  std::vector<std::string> unstated;
  for (const Row& row : kRows) {
    if ((claim.*row.field).empty()) unstated.emplace_back(row.what);
  }
  if (!claim.speedup) unstated.emplace_back("a speed-up");
  if (!claim.denominator_class) unstated.emplace_back("the class of the denominator");
  if (!claim.metric) unstated.emplace_back("whether time or throughput was measured");
  if (!claim.aggregate) unstated.emplace_back("how many figures became one (aggregate)");
  return unstated;
}

/// What the evidence says of itself.
struct Origin {
  std::string system, hardware;
};

Origin origin_of(const ClaimEvidence& evidence) {
  struct Look {
    Origin operator()(const std::monostate&) const { return {}; }
    Origin operator()(const ResultTable& table) const { return {table.system, table.hardware}; }
    Origin operator()(const AuditedSpeed& audit) const { return {audit.system, audit.hardware}; }
  };
  return std::visit(Look{}, evidence);
}

/// The decimals that a figure was printed with: of the shortest text that reads back the same.
int decimals_of(double value) {
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  const auto point = std::find(text.data(), end, '.');
  return point == end ? 0 : static_cast<int>(end - point - 1);
}

/// A point against a printed figure: equal after rounding to its decimals, or better.
ClaimOutcome compare_point(double claimed, double found) {
  if (rounded(found, decimals_of(claimed)) >= claimed) return Reproduced{found};
  return Overstated{found, claimed / found};
}

ClaimOutcome compare_audit(const Claim& claim, const AuditedSpeed& audit) {
  if (!audit.passed) return NotReproducible{"the candidate broke the contract: it has no speed-up"};
  check_positive("audited speed-up", audit.estimate);
  check_positive("lower end of the audited speed-up", audit.low);
  if (*claim.speedup > audit.high) return Overstated{audit.low, *claim.speedup / audit.low};
  return Reproduced{audit.estimate};
}

/// Which figure of the table the claim must be held against; nothing, with the reason, where there is none.
std::optional<double> figure_of(const Claim& claim, const Summary& summary, std::string& why) {
  const std::string count = std::to_string(summary.workloads);
  switch (claim.aggregate.value_or(Aggregate::single)) {
    case Aggregate::single:
      if (summary.workloads == 1) return summary.geomean;
      why = "one figure is claimed and the table has " + count + " workloads: state which one, or the aggregate";
      return std::nullopt;
    case Aggregate::geomean:
      return summary.geomean;
    case Aggregate::mean:
      return summary.mean;
    case Aggregate::max:
      return summary.high;
    case Aggregate::per_shape:
      why = "figures per shape can't be held against one number: claim each shape by itself";
      return std::nullopt;
  }
  return std::nullopt;
}

bool mixed_denominators(const ResultTable& table) {
  std::set<std::string> names;
  for (const ResultRow& row : table.rows) names.insert(row.baseline);
  return names.size() > 1;
}

ClaimOutcome compare_table(const Claim& claim, const ResultTable& table, ClaimResult& result) {
  if (mixed_denominators(table)) return NotComparable{"the table's figures are over different denominators"};
  result.summary = summarise(table);
  result.notes.push_back("the table is the system's own: it shows the arithmetic, nothing was measured here");
  if (result.summary->failed > 0) {
    result.notes.push_back(std::to_string(result.summary->failed) + " of " + std::to_string(result.summary->workloads) +
                           " workloads failed and count as 1.0x");
  }
  if (result.summary->workloads == result.summary->failed) return NotReproducible{"no workload of the table passed"};
  std::string why;
  const std::optional<double> figure = figure_of(claim, *result.summary, why);
  if (!figure) return NotComparable{why};
  if (claim.aggregate == Aggregate::mean) {
    result.notes.push_back("a mean of ratios favours large ones: the geometric mean is " +
                           fixed_text(result.summary->geomean, 4) + "x");
  }
  return compare_point(*claim.speedup, *figure);
}

/// Over the best other version of the one workload, where the table has it.
std::optional<double> fair_speedup(const ClaimEvidence& evidence) {
  const auto* table = std::get_if<ResultTable>(&evidence);
  if (!table || table->rows.size() != 1) return std::nullopt;
  const ResultRow& row = table->rows.front();
  if (!row.correct || !row.alternative_s || !row.candidate_s) return std::nullopt;
  return *row.alternative_s / *row.candidate_s;
}

ClaimOutcome decide(const Claim& claim, const ClaimEvidence& evidence, ClaimResult& result) {
  const Origin origin = origin_of(evidence);
  const bool another = !origin.system.empty() && !claim.system.empty() && !agree(origin.system, claim.system);
  if (another) return EvidenceRefused{"the evidence is of " + origin.system + ", the claim of " + claim.system};
  if (!claim.speedup) return NotComparable{"the claim states no speed-up"};
  check_positive("claimed speed-up", *claim.speedup);
  if (claim.denominator_class == DenominatorClass::naive) {
    return DenominatorUnfair{"it is over a naive version that nobody would deploy", fair_speedup(evidence)};
  }
  if (claim.denominator_class == DenominatorClass::own_start) {
    return DenominatorUnfair{"it is over the system's own starting version", fair_speedup(evidence)};
  }
  if (std::holds_alternative<std::monostate>(evidence)) {
    return NotReproducible{"no evidence: neither a contract to audit nor a table of results is at hand"};
  }
  if (!claim.hardware.empty() && !origin.hardware.empty() && !agree(claim.hardware, origin.hardware)) {
    return NotComparable{"the claim is about " + claim.hardware + ", the evidence about " + origin.hardware};
  }
  if (claim.baseline.empty()) return NotComparable{"the claim does not say what it is faster than"};
  if (const auto* audit = std::get_if<AuditedSpeed>(&evidence)) return compare_audit(claim, *audit);
  return compare_table(claim, std::get<ResultTable>(evidence), result);
}

struct OutcomeInfo {
  std::string_view name;
  int exit;
};

/// In the order of the variant.
constexpr std::array<OutcomeInfo, std::variant_size_v<ClaimOutcome>> kOutcomes{{{"reproduced", 0},
                                                                                {"overstated", 1},
                                                                                {"denominator unfair", 1},
                                                                                {"not reproducible", 3},
                                                                                {"not comparable", 3},
                                                                                {"evidence refused", 3}}};

}  // namespace

std::string_view name_of(const ClaimOutcome& outcome) {
  return kOutcomes[outcome.index()].name;
}

int exit_code_of(const ClaimOutcome& outcome) {
  return kOutcomes[outcome.index()].exit;
}

Summary summarise(const ResultTable& table) {
  if (mixed_denominators(table)) {
    fail(table.path + ": figures over different denominators are not averaged: split the table by baseline");
  }
  Summary summary;
  double logs = 0.0, sum = 0.0;
  for (const ResultRow& row : table.rows) {
    const double speedup = row.speedup.value_or(1.0);
    check_positive("speed-up of '" + row.workload + "'", speedup);
    if (!row.speedup) ++summary.failed;
    if (speedup < 1.0) ++summary.losing;
    summary.low = summary.workloads == 0 ? speedup : std::min(summary.low, speedup);
    summary.high = summary.workloads == 0 ? speedup : std::max(summary.high, speedup);
    logs += std::log(speedup);
    sum += speedup;
    ++summary.workloads;
  }
  if (summary.workloads == 0) fail(table.path + ": no results in it");
  summary.geomean = std::exp(logs / static_cast<double>(summary.workloads));
  summary.mean = sum / static_cast<double>(summary.workloads);
  return summary;
}

ClaimResult judge(const Claim& claim, const ClaimEvidence& evidence) {
  ClaimResult result;
  result.unstated = unstated_of(claim);
  result.outcome = decide(claim, evidence, result);
  return result;
}

std::string sentence(const Claim& claim, const ClaimOutcome& outcome) {
  struct Say {
    const Claim& claim;
    std::string operator()(const Reproduced& o) const {
      return "claimed " + number_text(*claim.speedup) + "x, found " + fixed_text(o.found, 4) + "x";
    }
    std::string operator()(const Overstated& o) const {
      return "claimed " + number_text(*claim.speedup) + "x, found " + fixed_text(o.found, 4) + "x: overstated " +
             fixed_text(o.by, 4) + " times";
    }
    std::string operator()(const DenominatorUnfair& o) const {
      return o.why + (o.fair ? "; over the best alternative it is " + fixed_text(*o.fair, 4) + "x" : "");
    }
    std::string operator()(const NotReproducible& o) const { return o.why; }
    std::string operator()(const NotComparable& o) const { return o.why; }
    std::string operator()(const EvidenceRefused& o) const { return o.why; }
  };
  return std::string(name_of(outcome)) + ": " + std::visit(Say{claim}, outcome);
}

namespace {

/// How often production calls a shape; 1 for all where it declares none.
double weight_of(const Contract& contract, const std::string& shape) {
  if (contract.shapes.empty()) return 1.0;
  for (const ProductionShape& production : contract.shapes) {
    if (to_string(production.axes) == shape) return production.weight;
  }
  return 0.0;
}

}  // namespace

AuditedSpeed audited_speed(const AuditReport& report, const Contract& contract) {
  AuditedSpeed audit;
  audit.hardware = report.run.device;
  audit.baseline = contract.speed.baseline ? "the contract's baseline" : "the reference";
  double before = 0.0, after = 0.0;
  for (const SpeedRow& row : report.speed.shapes) {
    if (row.reference_s <= 0.0 || row.candidate_s <= 0.0) continue;
    const double weight = weight_of(contract, row.shape);
    before += weight * row.reference_s;
    after += weight * row.candidate_s;
  }
  audit.passed = report.verdict == Verdict::pass && after > 0.0;
  if (after > 0.0) audit.estimate = audit.low = audit.high = before / after;
  if (report.speed.mix && report.speed.mix->speedup) {
    const SpeedInterval& mix = *report.speed.mix->speedup;
    audit.estimate = mix.estimate;
    audit.low = mix.low;
    audit.high = mix.high;
  }
  return audit;
}

ClaimReport report_of(const Claim& claim, const ClaimEvidence& evidence) {
  const ClaimResult result = judge(claim, evidence);
  ClaimReport report;
  report.claim = claim.text;
  report.source = claim.source;
  report.verdict = name_of(result.outcome);
  report.sentence = sentence(claim, result.outcome);
  report.claimed_speedup = claim.speedup;
  report.unstated = result.unstated;
  report.notes = result.notes;
  report.exit = exit_code_of(result.outcome);
  if (const auto* found = std::get_if<Reproduced>(&result.outcome)) report.found_speedup = found->found;
  if (const auto* unfair = std::get_if<DenominatorUnfair>(&result.outcome)) report.fair_speedup = unfair->fair;
  if (const auto* over = std::get_if<Overstated>(&result.outcome)) {
    report.found_speedup = over->found;
    report.overstated_by = over->by;
  }
  if (const auto* table = std::get_if<ResultTable>(&evidence); table && result.summary) {
    const Summary& summary = *result.summary;
    report.table = ClaimReport::Table{table->path,       table->format,  summary.geomean,
                                      summary.low,       summary.high,   summary.losing_share(),
                                      summary.workloads, summary.losing, summary.failed};
  }
  return report;
}

}  // namespace assay::roi
