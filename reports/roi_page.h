#pragma once
#include <string>

#include "core/claim.h"
#include "core/roi_result.h"
#include "reports/page.h"

namespace assay::reports {

/// `assay roi` for people: the gate, the figures side by side, the plot, what was assumed and what is left out.
std::string roi_to_console(const RoiAnswer& answer, const ConsoleStyle& style);

/// The part of it that is one result: also a section of an audit's report.
void add_roi(Page& page, const RoiResult& result);

/// `assay claim` for people: the verdict, the table's figures together, what the claim does not state.
std::string claim_to_console(const ClaimReport& report, const ConsoleStyle& style);

}  // namespace assay::reports
