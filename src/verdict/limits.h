#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace assay {

/// What no audit from outside can decide (THREATS.md, "Not decidable from outside"): part of every verdict. `calls`:
/// how many were checked, which bounds the rate of defects that were not met.
std::vector<std::string> standing_limits(std::int64_t calls, bool speed_measured);

}  // namespace assay
