#include "reports/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/adequacy_page.h"
#include "reports/speed_page.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct VerdictLook {
  Verdict verdict;
  std::string_view word;  ///< REPORTS.md, "Verdict words"
  Tone tone;
};
constexpr std::array<VerdictLook, 4> kLooks{{
    {Verdict::pass, "PASS", Tone::good},
    {Verdict::fail, "FAIL", Tone::bad},
    {Verdict::inconclusive, "CAN'T TELL", Tone::doubt},
    {Verdict::error, "AUDITOR ERROR", Tone::fault},
}};

std::string subject_text(const SubjectInfo& subject) {
  return subject.symbol.empty() ? subject.path : subject.path + ":" + subject.symbol;
}

const VerdictLook& look_of(const AuditReport& report) {
  return kLooks[static_cast<std::size_t>(report.verdict)];
}

void add_verdict(Page& page, const AuditReport& report) {
  page.line(headline(report), look_of(report).tone);
  for (const std::string& reason : report.reasons) page.bullet(reason);
}

std::string evidence_text(const EvidenceValue& value) {
  struct Print {
    std::string operator()(double number) const { return shortest(number); }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(const std::string& word) const { return word; }
    std::string operator()(bool truth) const { return truth ? "yes" : "no"; }
  };
  return std::visit(Print{}, value);
}

std::string evidence_text(const Evidence& evidence) {
  std::string text;
  for (const auto& [key, value] : evidence) text += (text.empty() ? "" : ", ") + key + " = " + evidence_text(value);
  return text;
}

std::string where_text(const Finding& finding) {
  std::string text = finding.shape.empty() ? "" : "shape " + finding.shape;
  if (!finding.call.empty()) text += (text.empty() ? "call " : ", call ") + finding.call;
  return text;
}

/// What the check holds of an honest kernel; empty for a witness that convicts alone.
std::string claim_of(const AuditReport& report, const Finding& finding) {
  const auto check = std::find_if(report.checks.begin(), report.checks.end(),
                                  [&](const CheckResult& each) { return each.id == finding.check; });
  return check == report.checks.end() ? "" : check->claim;
}

std::string title_of(const Finding& finding) {
  std::string text = fmt::format("{} {}: {}", name_of(finding.severity), finding.id, finding.check);
  if (!finding.witness.empty() && finding.witness != finding.check) text += ", seen by " + finding.witness;
  if (!finding.threat.empty()) text += " (" + finding.threat + ")";
  if (finding.subject != "candidate") text += ", of the " + finding.subject;
  return text;
}

std::string breaks_text(const Finding& finding) {
  const std::string seen = finding.occurrences == 1 ? "once" : fmt::format("{} times", finding.occurrences);
  return fmt::format("{}; a fault under {} and stricter lifetimes", seen, name_of(finding.lifetime));
}

void add_finding(Page& page, const AuditReport& report, const Finding& finding) {
  page.heading(title_of(finding));
  page.field("claim", claim_of(report, finding));
  page.field("observed", finding.message);
  page.field("where", where_text(finding));
  page.field("seen", breaks_text(finding));
  page.field("evidence", evidence_text(finding.evidence));
  page.field("advice", finding.advice);
  page.command("replay", finding.replay);
}

/// Errors before notes; within a severity in the report's order.
void add_findings(Page& page, const AuditReport& report) {
  for (Severity severity : {Severity::error, Severity::note}) {
    for (const Finding& finding : report.findings) {
      if (finding.severity == severity) add_finding(page, report, finding);
    }
  }
}

void add_checks(Page& page, const AuditReport& report) {
  if (report.checks.empty()) return;
  page.heading("Checks");
  Rows rows{{"check", "outcome", "calls", "elements", "bytes"}};
  for (const CheckResult& check : report.checks) {
    rows.push_back({check.id, std::string(name_of(check.outcome)), std::to_string(check.counts.calls),
                    std::to_string(check.counts.elements), std::to_string(check.counts.bytes)});
  }
  page.table(rows, 2);
  for (const CheckResult& check : report.checks) {
    if (!check.reason.empty() && check.outcome != CheckOutcome::unsupported)
      page.bullet(check.id + ": " + check.reason);
  }
}

void add_lifetimes(Page& page, const AuditReport& report) {
  if (report.lifetimes.empty()) return;
  page.heading("Lifetimes");
  Rows rows{{"lifetime", "required", "outcome", "calls"}};
  for (Lifetime lifetime : {Lifetime::fixed_address, Lifetime::reused_buffers, Lifetime::serving}) {
    const auto found = report.lifetimes.find(std::string(name_of(lifetime)));
    if (found == report.lifetimes.end()) continue;
    rows.push_back({found->first, found->second.required ? "yes" : "no", std::string(name_of(found->second.outcome)),
                    std::to_string(found->second.calls)});
  }
  page.table(rows, 3);
}

/// The headline of a tolerance sweep.
std::string gap_text(double bits) {
  if (std::fabs(bits) < 0.5) return "the candidate spends as many bits of its tolerance as the reference";
  return fmt::format("the candidate spends {:.1f} bits {} than the reference", std::fabs(bits),
                     bits > 0 ? "more" : "less");
}

void add_numerics(Page& page, const AuditReport& report) {
  if (report.numerics.empty()) return;
  page.heading("Errors against " + report.truth + " (rho: error in units of the contract's roundoff times scale)");
  Rows rows{
      {"output", "of", "elements", "max rho", "limit", "rms rho", "mean rho", "max abs", "max rel", "spent bits"}};
  for (const NumericsRow& row : report.numerics) {
    rows.push_back({row.tensor, row.subject, std::to_string(row.elements), fmt::format("{:.3g}", row.max_rho),
                    fmt::format("{:.3g}", row.limit), fmt::format("{:.3g}", row.rms_rho),
                    fmt::format("{:.2g}", row.mean_signed_rho), fmt::format("{:.3g}", row.max_abs_error),
                    fmt::format("{:.3g}", row.max_rel_error), fmt::format("{:.3g}", row.spent_bits)});
  }
  page.table(rows, 2);
  for (const NumericsRow& row : report.numerics) {
    const std::optional<double> gap = gap_bits(report.numerics, row.tensor);
    if (row.subject == "candidate" && gap) page.bullet(row.tensor + ": " + gap_text(*gap));
  }
}

/// Beside our verdict: new buffers and new values for each trial, production's shapes, their tolerances.
void add_elsewhere(Page& page, const AuditReport& report) {
  if (report.elsewhere.empty()) return;
  page.heading("Would have passed elsewhere (new values in new buffers each time, published tolerances)");
  Rows rows{{"rule", "outcome", "accepted", "trials"}};
  for (const ElsewhereRow& row : report.elsewhere) {
    rows.push_back({row.rule, row.accepted == row.trials ? "pass" : "fail", std::to_string(row.accepted),
                    std::to_string(row.trials)});
  }
  page.table(rows, 2);
}

void add_not_covered(Page& page, const AuditReport& report) {
  if (report.not_covered.empty()) return;
  page.heading("Not covered");
  for (const std::string& each : report.not_covered) page.bullet(each);
}

void add_hints(Page& page, const AuditReport& report) {
  if (report.hints.empty()) return;
  page.heading("Hints (what the candidate's file shows; they decide nothing)");
  Rows rows{{"kind", "what", "worth a look because"}};
  for (const Hint& hint : report.hints) rows.push_back({hint.kind, hint.what, hint.means});
  page.table(rows, 3);
}

void add_run(Page& page, const AuditReport& report) {
  page.heading("Run");
  page.field("tool", report.tool);
  page.field("id", report.run.id);
  page.field("started", fmt::format("{}, took {}", report.run.started, duration(report.run.seconds)));
  page.field("depth", report.run.depth);
  page.field("calls", fmt::format("{}, which did the work of {} more", report.run.calls, report.run.fused_calls));
  page.field("device", report.run.device);
  page.field("sandbox", report.run.sandbox);
  page.command("seed", report.run.seed);
  page.command("contract", report.contract_path);
  page.command("", report.contract_digest);
  for (const auto& [role, subject] : report.subjects) {
    page.command(role, subject_text(subject));
    page.command("", subject.digest);
  }
}

}  // namespace

std::string headline(const AuditReport& report) {
  const auto candidate = report.subjects.find("candidate");
  std::string text = fmt::format("{}: {}", look_of(report).word, report.contract_name);
  if (candidate != report.subjects.end()) text += ", candidate " + subject_text(candidate->second);
  return printable(text);
}

std::string to_console(const AuditReport& report, const ConsoleStyle& style) {
  Page page(style);
  add_verdict(page, report);
  add_findings(page, report);
  add_checks(page, report);
  add_lifetimes(page, report);
  add_numerics(page, report);
  add_adequacy(page, report.adequacy);
  add_elsewhere(page, report);
  add_speed(page, report.speed);
  add_not_covered(page, report);
  add_hints(page, report);
  add_run(page, report);
  return page.text();
}

}  // namespace assay::reports
