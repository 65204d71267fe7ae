#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace assay::reports {

/// The value as UTF-8 text, indented by 2, keys sorted, a newline at the end. Doubles are the shortest that read back
/// the same; NaN and infinities become strings; invalid UTF-8 and anything a terminal could obey is escaped
/// (REPORTS.md).
std::string write_json(const nlohmann::json& value);

}  // namespace assay::reports
