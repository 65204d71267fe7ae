#pragma once
#include <string>

#include "sandbox/fd.h"

namespace assay::sandbox {

/// Puts the filter of seccomp_table.h in force for all threads of this process; calls of foreign architectures kill it.
/// With `notify` the counted refusals wait for whoever holds the returned listener to answer; without, they just fail
/// and no descriptor is returned. Needs NO_NEW_PRIVS. Throws Error.
UniqueFd apply_seccomp(bool notify);

/// What the library and the kernel can do: empty, or why there can be no filter (notify: no counting).
std::string seccomp_problem();
std::string notify_problem();

}  // namespace assay::sandbox
