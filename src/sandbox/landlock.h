#pragma once
#include <string>
#include <vector>

#include "core/opening.h"

namespace assay::sandbox {

/// The version of Landlock that the kernel offers; 0: none.
int landlock_version();

/// What a version lacks, in words for a person; empty from 6 on.
std::string landlock_lacks(int version);

/// Forbids this process for good to write anywhere but in scratch, to execute files, to use TCP and to reach processes
/// outside. In a private root everything may be read; else only system libraries, a few facts about the processor, and
/// `subject_folder`; besides that what `openings` say. Needs NO_NEW_PRIVS. Throws Error.
void apply_landlock(bool private_root, const std::string& subject_folder, const std::vector<Opening>& openings = {});

}  // namespace assay::sandbox
