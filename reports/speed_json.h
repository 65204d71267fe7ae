#pragma once
#include <nlohmann/json.hpp>

#include "core/report.h"

namespace assay::reports {

/// `speed` of a report: shapes, the production mix, the control, peaks and what disturbed. Keys whose value is not
/// known are left out.
nlohmann::json speed_to_value(const SpeedSection& speed);

}  // namespace assay::reports
