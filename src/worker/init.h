#pragma once

#include "sandbox/fd.h"
#include "worker/plan.h"

namespace assay::worker {

/// The process that keeps the worker: builds the private root, starts the worker and serves the judge until the judge
/// or the launcher (`lifeline`) is gone. Returns the exit status of this process.
int run_init(Plan plan, sandbox::UniqueFd lifeline);

}  // namespace assay::worker
