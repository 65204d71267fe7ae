#pragma once
#include <sys/types.h>

#include "sandbox/surroundings.h"

namespace assay::sandbox {

/// The usual name of worker processes, of their image and their argument: says nothing about an audit.
inline constexpr const char kNeutralName[] = "host";
/// User and group of a worker, inside and (if the judge is root) outside of its namespace.
inline constexpr uid_t kNobody = 65534;

/// The judge's own protection: its memory and descriptors can't be opened by processes of the same user.
void protect_judge();

/// If root: gives up user, groups and capabilities for good. Keeps the process dumpable, so that its maps can be
/// written.
void drop_root();

/// Gives up every capability, and the way back to any. For processes that were mapped into a namespace with all rights.
void drop_capabilities();

/// Dies by SIGKILL with its parent; at once, if the parent already isn't `parent` (0: not checked).
void die_with_parent(pid_t parent);

/// User, mount, PID (for children), network, IPC, UTS and cgroup namespaces, with user and host as the surroundings
/// have them. Throws Error.
void enter_namespaces(Surroundings surroundings = Surroundings::usual);

}  // namespace assay::sandbox
