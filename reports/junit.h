#pragma once
#include <string>

#include "core/report.h"

namespace assay::reports {

/// JUnit's XML for build servers (REPORTS.md, "JUnit"): a test case per check, and one for the verdict, which fails if
/// the verdict is no pass. Counts add up; failure is the candidate's, error ours, skipped "can't tell".
std::string to_junit(const AuditReport& report);

}  // namespace assay::reports
