#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/claim.h"
#include "core/report.h"
#include "roi/results.h"

/// What evidence allows to be said about a claim (SYSTEMS.md, "Published figures").
namespace assay::roi {

/// The claim's figure lies within what was found.
struct Reproduced {
  double found = 0.0;
};
/// The claim's figure is `by` times what was found (its lower end).
struct Overstated {
  double found = 0.0, by = 1.0;
};
/// The figure is over something that nobody would deploy.
struct DenominatorUnfair {
  std::string why;
  std::optional<double> fair;  ///< over the best alternative in the evidence
};
struct NotReproducible {
  std::string why;
};
struct NotComparable {
  std::string why;
};
struct EvidenceRefused {
  std::string why;
};
using ClaimOutcome =
    std::variant<Reproduced, Overstated, DenominatorUnfair, NotReproducible, NotComparable, EvidenceRefused>;

/// "reproduced", "overstated", …
std::string_view name_of(const ClaimOutcome& outcome);

/// The exit code of `assay claim`: 0 reproduced, 1 overstated or unfair, 3 where it can't be told.
int exit_code_of(const ClaimOutcome& outcome);

/// One figure from a table, said together. Failed workloads fall back: they count as 1.0x.
struct Summary {
  double geomean = 1.0, mean = 1.0, low = 1.0, high = 1.0;
  std::int64_t workloads = 0, losing = 0, failed = 0;  ///< losing: below 1.0x
  double losing_share() const {
    return workloads > 0 ? static_cast<double>(losing) / static_cast<double>(workloads) : 0.0;
  }
};

/// Throws assay::Error (exit 2) where the rows are over different denominators: such figures are never averaged.
Summary summarise(const ResultTable& table);

/// What our own audit found for the claim's workload.
struct AuditedSpeed {
  double estimate = 1.0, low = 1.0, high = 1.0;
  bool passed = false;  ///< the candidate kept the contract
  std::string hardware, baseline;
  std::string system;  ///< whose candidate it was; empty: not said
};

using ClaimEvidence = std::variant<std::monostate, ResultTable, AuditedSpeed>;

struct ClaimResult {
  ClaimOutcome outcome = NotReproducible{};
  std::vector<std::string> unstated;  ///< what the claim does not say
  std::vector<std::string> notes;
  std::optional<Summary> summary;  ///< of a table
};

/// In this order: evidence of another system is refused; a naive or own denominator is unfair whatever the figure; no
/// evidence is not reproducible; other hardware, denominators or aggregates are not comparable; then the figure is
/// compared. A table of the system's own results shows its arithmetic at most, and the notes say so.
ClaimResult judge(const Claim& claim, const ClaimEvidence& evidence);

/// What an audit found, over the production mix: sum of weight x time of both sides; without production shapes every
/// timed shape counts alike. Not `passed` if the verdict is no pass or nothing was timed.
AuditedSpeed audited_speed(const AuditReport& report, const Contract& contract);

/// A sentence for people.
std::string sentence(const Claim& claim, const ClaimOutcome& outcome);

/// The result as plain data for reports.
ClaimReport report_of(const Claim& claim, const ClaimEvidence& evidence);

}  // namespace assay::roi
