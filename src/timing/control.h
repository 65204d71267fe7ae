#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "timing/interval.h"
#include "timing/suspicion.h"

namespace assay::timing {

struct Fit {};
/// Measure the A/A control once more.
struct Again {};
struct Unfit {
  std::string reason;
};
using Fitness = std::variant<Fit, Again, Unfit>;

/// A/A control: reference against a second worker with the same reference, same schedule. Fit iff the interval of
/// ratios lies inside (1 - delta, 1 + delta); the first failure (attempt 1) asks for one retry, the second is Unfit.
Fitness judge_control(const Estimate& speedup, double delta, int attempt);

/// Half the width that the A/A interval covers around 1, as a share: the noise floor for other checks.
double noise_floor(const Interval& control);

/// One process pair's baseline: median cost inside the pairs, and alone, before the candidate's worker starts and after
/// it has ended (both, so that drift cancels).
struct ControlBlock {
  double paired_s = 0.0, alone_before_s = 0.0, alone_after_s = 0.0;
};

/// Did the candidate slow the other side (E14)? ln(paired / alone) per process pair against `margin`, which is the
/// larger of delta and what the A/A control showed for the mere presence of a second worker; `level` from the
/// accusation budget.
Consistency compare_control(std::span<const ControlBlock> blocks, double margin, double level);

/// Fixed work of the judge's own, timed before and after a block of calls.
struct Calibration {
  double before_s = 0.0, after_s = 0.0;
};
struct BlockValid {};
struct BlockInvalid {
  double drift = 0.0;  ///< |ln(after / before)|
};
using BlockValidity = std::variant<BlockValid, BlockInvalid>;

/// A block whose calibration moved by more than the noise floor does not count, and that is said.
BlockValidity block_validity(const Calibration& calibration, double floor);

}  // namespace assay::timing
