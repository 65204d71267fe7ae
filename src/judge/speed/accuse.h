#pragma once
#include <vector>

#include "judge/speed/conclude.h"

namespace assay {

/// What accusations rest on.
struct Evidenced {
  const Contract& contract;
  const std::vector<ShapeSchedule>& schedules;
  std::size_t anchor;
  const std::vector<ProcessPair>& pairs;
  const std::vector<ProcessPair>& control;
  const SpeedRules& rules;
  const SpeedSection& section;  ///< as concluded so far
  double floor;                 ///< of the machine's noise, as a share
};

/// Looks for times that no honest subject gives.
std::vector<TimedSuspicion> accuse(const Evidenced& evidenced);

}  // namespace assay
