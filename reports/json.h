#pragma once
#include <string>

#include "core/report.h"

namespace assay::reports {

/// The report for programs (DESIGN.md, "The report"; reports/schema.json). The same report gives the same bytes.
std::string to_json(const AuditReport& report);

}  // namespace assay::reports
