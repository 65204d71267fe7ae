#pragma once
#include <string_view>

namespace assay {

/// The same as in CMakeLists.txt; a test compares them.
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace assay
