#pragma once
#include <sys/types.h>

#include <cstdint>

#include "sandbox/fd.h"
#include "sandbox/surroundings.h"

namespace assay::sandbox {

/// Where the launched program finds its sockets.
inline constexpr int kControlFd = 3;
inline constexpr int kCallsFd = 4;

/// Starts a program image (an executable memory file) as a new session with the environment of its surroundings,
/// /dev/null as standard streams, `control` and `calls` at the numbers above, and no other descriptor. The process dies
/// with the *thread* that calls this (parent-death signal): call it from a thread that lives as long as the audit.
/// Throws Error.
struct Launched {
  pid_t pid = -1;
  UniqueFd pidfd;
};
Launched launch(int image, int control, int calls, std::int64_t threads,
                Surroundings surroundings = Surroundings::usual);

/// Waits up to `wait_ms` for the process, then kills it, and reaps it.
void reap(Launched& launched, int wait_ms);

}  // namespace assay::sandbox
