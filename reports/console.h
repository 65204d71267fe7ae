#pragma once
#include <string>

#include "core/report.h"
#include "reports/page.h"

namespace assay::reports {

/// The report for people, in the order of REPORTS.md: verdict, reasons, findings by severity, checks, lifetimes,
/// numerics, speed, what was not covered, and what it was about.
std::string to_console(const AuditReport& report, const ConsoleStyle& style);

/// "PASS: rmsnorm, candidate k.so:rmsnorm".
std::string headline(const AuditReport& report);

}  // namespace assay::reports
