#pragma once
#include <string>

#include "reports/page.h"

namespace assay::reports {

/// Tables for `assay checks` and `assay oracles`, from what is registered.
std::string list_checks(const ConsoleStyle& style);
std::string list_oracles(const ConsoleStyle& style);

}  // namespace assay::reports
