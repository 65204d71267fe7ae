#pragma once
#include <optional>
#include <string>
#include <vector>

#include "judge/speed/trial.h"
#include "timing/compare.h"
#include "timing/physics.h"
#include "timing/suspicion.h"

namespace assay {

/// What conclusions take besides the times.
struct SpeedRules {
  double alpha = timing::kAlpha;
  double delta = timing::kDelta;
  double empty_s = 0.0;  ///< a single call of the null subject
  timing::Roof roof;     ///< zeros: not known
  std::int64_t cache_bytes = 0;
};

struct TimedSuspicion {
  std::string shape;  ///< empty: of the whole audit
  timing::Suspicion suspicion;
  Severity severity = Severity::error;
};

struct Concluded {
  SpeedSection section;
  std::vector<TimedSuspicion> suspicions;
  timing::Gate gate;
};

/// The A/A control as an interval of ratios.
timing::Estimate control_interval(const std::vector<ProcessPair>& control, std::size_t anchor, Regime regime,
                                  double alpha);

/// Compares the sides in every shape and over the production mix, and looks for times that no honest subject gives.
Concluded conclude(const Contract& contract, const std::vector<ShapeSchedule>& schedules, std::size_t anchor,
                   const std::vector<ProcessPair>& pairs, const std::vector<ProcessPair>& control,
                   const std::vector<Cost>& costs, const SpeedRules& rules, Random& random);

}  // namespace assay
