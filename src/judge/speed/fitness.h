#pragma once
#include <optional>
#include <string>
#include <vector>

#include "judge/subject.h"
#include "timing/interval.h"

namespace assay {

/// How well this machine can time, as numbers.
struct MachineFitness {
  std::optional<timing::Interval> control;  ///< the same work against itself, as a ratio
  double noise_floor = 0.0;                 ///< how far that interval reaches from 1
  double visible = 0.0;                     ///< smallest effect seen with power 0.8 in `budget_s`
  double budget_s = 10.0;
  int pairs = 0;                          ///< in each of six process pairs, as the budget allows
  double empty_call_s = 0.0;              ///< judge to worker and back
  bool fit = false;                       ///< the control lies inside 1 +- 2 %
  std::vector<std::string> disturbances;  ///< what the machine did besides
};

/// Times a fixed amount of work, about 100 us, against itself in six pairs of fresh processes. Takes a few seconds.
MachineFitness measure_fitness(const Machine& machine);

}  // namespace assay
