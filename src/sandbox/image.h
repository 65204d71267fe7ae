#pragma once
#include <string>

#include "sandbox/fd.h"

namespace assay::sandbox {

/// A file's contents in memory that nobody can change any more, under a name that says nothing. Throws Error.
UniqueFd sealed_copy(const std::string& path, bool executable);

/// The worker program beside this program's own file, sealed. Throws Error with the path that it looked for.
UniqueFd worker_image();

}  // namespace assay::sandbox
