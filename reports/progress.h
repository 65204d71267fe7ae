#pragma once
#include <memory>

#include "core/progress.h"

namespace assay::reports {

/// A line on the terminal behind `fd` that is rewritten at most ten times a second and wiped at the end. If `fd` is no
/// terminal: a listener that stays silent.
std::unique_ptr<Progress> make_progress(int fd);

}  // namespace assay::reports
