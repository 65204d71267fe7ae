#include "reports/disclose.h"

#include <algorithm>

namespace assay::reports {
namespace {

std::string family_of(const AuditReport& report, const std::string& id) {
  for (const CheckResult& check : report.checks) {
    if (check.id == id) return check.family;
  }
  return {};
}

std::string class_of(const AuditReport& report, const Finding& finding) {
  const std::string family = family_of(report, finding.check);
  return "the check " + finding.check + (family.empty() ? "" : " (family " + family + ")") + " found a fault";
}

void coarsen(const AuditReport& report, Finding& finding) {
  finding.message = class_of(report, finding);
  finding.witness = finding.check;
  finding.threat.clear();
  finding.shape.clear();
  finding.call.clear();
  finding.evidence.clear();
  finding.replay.clear();
  finding.repro.reset();
}

/// Axis values print as "N=17".
bool names_a_shape(const std::string& line) {
  return line.find('=') != std::string::npos;
}

}  // namespace

AuditReport disclosed(AuditReport report, Disclosure disclosure) {
  if (disclosure == Disclosure::full) return report;
  for (Finding& finding : report.findings) coarsen(report, finding);
  if (report.verdict == Verdict::fail) {
    report.reasons.clear();
    for (const Finding& finding : report.findings) {
      const bool said =
          std::find(report.reasons.begin(), report.reasons.end(), finding.message) != report.reasons.end();
      if (finding.severity == Severity::error && !said) report.reasons.push_back(finding.message);
    }
  }
  report.run.seed.clear();
  report.numerics.clear();
  report.adequacy = {};
  report.elsewhere.clear();
  report.speed = {};
  report.hints.clear();
  std::erase_if(report.not_covered, names_a_shape);
  report.not_covered.push_back("shapes, seeds, values and replay commands are kept back (--disclose class)");
  return report;
}

}  // namespace assay::reports
