#pragma once
#include <string>
#include <vector>

#include "core/report.h"

namespace assay::golden {

/// A report written by hand, to pin down how each kind of audit looks.
struct Sample {
  std::string name;
  AuditReport report;
};

/// A pass, a fail with findings of both severities, one that can't tell, an auditor error, one with hostile text.
std::vector<Sample> samples();

}  // namespace assay::golden
