#pragma once
#include <string>
#include <vector>

#include "sandbox/layers.h"

namespace assay::sandbox {

/// One thing that a sandbox needs of the machine.
struct DoctorRow {
  std::string name;
  bool ok = false;
  std::string detail;  ///< what was found
  std::string lowers;  ///< what is weaker without it; empty if `ok`
};

struct Diagnosis {
  std::vector<DoctorRow> rows;
  Layers layers;  ///< what sandboxes here can have
  Level level = Level::weak;
  std::string why;  ///< what the level is, and which rows keep it from being full
};

/// Tries everything out in short-lived child processes and changes nothing. Forks: call it before any thread or device
/// exists in this process. A few milliseconds.
Diagnosis examine_machine();

}  // namespace assay::sandbox
