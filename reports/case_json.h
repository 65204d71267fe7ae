#pragma once
#include <nlohmann/json.hpp>

#include "core/case.h"

namespace assay::reports {

/// The calls of a case as JSON and back. Draws and keys are hexadecimal texts: not every reader keeps 64 bits of a
/// number. Reading throws Error (usage) where a value is missing, of another type or out of range.
nlohmann::json case_to_json(const Case& made);
Case case_from_json(const nlohmann::json& json);

}  // namespace assay::reports
