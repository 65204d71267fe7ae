#pragma once
#include "device/station.h"
#include "protocol/record.h"

namespace assay::worker {

/// What only the process itself can read: floating-point control words of this thread, and a digest of the environment.
protocol::SelfReport self_report(const Station& station);

}  // namespace assay::worker
