#pragma once
#include <sys/types.h>

#include <string>

#include "worker/plan.h"

namespace assay::worker {

/// The worker proper: confines itself, tells `report` so, loads the subject from `folder` and serves the judge's calls.
/// Never returns: it ends with _exit, so that nothing the subject registered for an orderly end runs.
[[noreturn]] void run_host(const Plan& plan, const std::string& folder, int report, pid_t init);

}  // namespace assay::worker
