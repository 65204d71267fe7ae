#pragma once
#include "core/disclosure.h"
#include "core/report.h"

namespace assay::reports {

/// What a search loop may see of a report (THREATS.md, G10; REPORTS.md). `full`: all of it. `classes`: check, family
/// and counts of each finding; no shapes, seeds, values or replay commands, because a loop that learns them fits its
/// kernels to the auditor. The verdict stays what it is.
AuditReport disclosed(AuditReport report, Disclosure disclosure);

}  // namespace assay::reports
