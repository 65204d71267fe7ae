#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "core/claim.h"
#include "core/roi_result.h"

namespace assay::reports {

/// The `roi` object of a report (DESIGN.md, "The report"; ROI.md, "Output"): each quantity a number or {p05, p50, p95};
/// what never comes is null with its reason beside it.
nlohmann::json roi_value(const RoiResult& result);

/// `assay roi --format json`: {roi, trace, ranking}, as far as asked for.
std::string roi_to_json(const RoiAnswer& answer);

/// `assay claim --format json`.
std::string claim_to_json(const ClaimReport& report);

}  // namespace assay::reports
