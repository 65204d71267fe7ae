#pragma once
#include <string>

#include "reports/page.h"

namespace assay::reports {

/// Tables for `assay checks` and `assay oracles`, from what is registered.
std::string list_checks(const ConsoleStyle& style);
/// One row per threat: what sees it, the guilty kernel that is convicted of it and the honest one that isn't, or why
/// there is none.
std::string list_threats(const ConsoleStyle& style);
std::string list_oracles(const ConsoleStyle& style);

}  // namespace assay::reports
