#pragma once
#include <string>
#include <vector>

#include "core/roi_result.h"

namespace assay::roi {

/// End to end against the kernel's speed-up as text: '*' the curve, '-' the ceiling, 'O' this kernel. Letters are
/// ASCII; no line is wider than `width` (at least 40), and there are `height` rows of plot (at least 6) and three
/// below.
std::vector<std::string> plot_lines(const RoiResult& result, std::size_t width = 72, std::size_t height = 12);

}  // namespace assay::roi
