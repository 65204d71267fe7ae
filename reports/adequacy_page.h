#pragma once
#include <string>

#include "core/report.h"
#include "reports/page.h"

namespace assay::reports {

/// The part of a report that says whether the contract can tell wrong from right; nothing where it wasn't asked.
void add_adequacy(Page& page, const AdequacySection& section);
/// The same as a page of its own.
std::string adequacy_page(const AdequacySection& section, const ConsoleStyle& style);

}  // namespace assay::reports
