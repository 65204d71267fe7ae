#pragma once
#include <cstdint>

#include "sandbox/layers.h"

namespace assay::sandbox {

struct Limits {
  std::int64_t threads = 1;       ///< that a call may use
  std::int64_t memory_bytes = 0;  ///< beyond what the process holds when this is applied
  bool device = false;            ///< a driver reserves huge ranges, opens many files and starts threads of its own
};

/// Sets the resource limits of this process: no core files, bounded memory, files and threads. `own_user` says that the
/// user's processes are counted in a namespace of their own, so that threads can be capped exactly. Throws Error.
void apply_limits(const Limits& limits, bool own_user);

}  // namespace assay::sandbox
