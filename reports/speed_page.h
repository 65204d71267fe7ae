#pragma once
#include "core/report.h"
#include "reports/page.h"

namespace assay::reports {

/// What the console says about speed: the answer, then shapes, then what the figures rest on.
void add_speed(Page& page, const SpeedSection& speed);

}  // namespace assay::reports
