#pragma once
#include <string>
#include <vector>

#include "core/opening.h"
#include "sandbox/fd.h"

namespace assay::sandbox {

/// A file that the worker shall find in its library folder: a name without slashes, and a descriptor with its contents.
struct NamedFile {
  std::string name;
  UniqueFd contents;
};

/// Replaces the root of this mount namespace: read-only system folders, fresh /proc, a few devices, an empty scratch at
/// /tmp, `files` in `subject_folder`; `hidden` (real paths) can't be opened, `openings` can. Call as PID 1 of the
/// namespace. Throws Error.
void build_root(const std::vector<NamedFile>& files, const std::vector<std::string>& hidden,
                const std::string& subject_folder, const std::vector<Opening>& openings = {});

/// The same folder of files without a namespace: below /tmp, under a random name, which is returned. Throws Error.
std::string make_library_folder(const std::vector<NamedFile>& files);
/// Takes back what make_library_folder() made, `names` in it; what is already gone doesn't matter.
void remove_library_folder(const std::string& folder, const std::vector<std::string>& names);

}  // namespace assay::sandbox
