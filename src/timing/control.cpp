#include "timing/control.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "timing/text.h"

namespace assay::timing {
namespace {

std::string unfit_reason(const Estimate& speedup, double delta) {
  if (const auto* few = std::get_if<TooFew>(&speedup)) {
    return "the A/A control has " + std::to_string(few->have) + " process pairs and needs " + std::to_string(few->need);
  }
  const auto& x = std::get<Interval>(speedup);
  return "the same kernel against itself gives " + range_text(x) + ", not inside 1 ± " + percent_text(delta) +
         ", twice: quieten the machine";
}

}  // namespace

Fitness judge_control(const Estimate& speedup, double delta, int attempt) {
  const auto* x = std::get_if<Interval>(&speedup);
  if (x != nullptr && x->low > 1.0 - delta && x->high < 1.0 + delta) return Fit{};
  if (x != nullptr && attempt < 2) return Again{};
  return Unfit{unfit_reason(speedup, delta)};
}

double noise_floor(const Interval& control) {
  return std::max(std::abs(control.low - 1.0), std::abs(control.high - 1.0));
}

Consistency compare_control(std::span<const ControlBlock> blocks, double margin, double level) {
  std::vector<double> slowed;
  for (const ControlBlock& block : blocks) {
    const double alone = std::sqrt(block.alone_before_s * block.alone_after_s);
    if (!(block.paired_s > 0.0 && alone > 0.0)) throw Error("timing: a control block has a time that is not positive");
    slowed.push_back(std::log(block.paired_s / alone));
  }
  const Excess excess = exceeds(slowed, std::log1p(margin), level);
  if (const auto* few = std::get_if<TooFew>(&excess)) return Unmeasured{too_few_text(*few)};
  if (std::holds_alternative<Below>(excess)) return Consistent{};
  const Interval ratio = exp_of(std::get<Above>(excess).interval);
  return Suspicion{"E14",
                   "the baseline takes " + ratio_text(ratio.estimate) + " its time while the candidate is loaded, " +
                       range_text(ratio) + " against 1 ± " + percent_text(margin),
                   {{"slowdown", ratio.estimate},
                    {"slowdown_low", ratio.low},
                    {"slowdown_high", ratio.high},
                    {"margin", margin},
                    {"level", level},
                    {"process_pairs", std::int64_t{ratio.n}}}};
}

BlockValidity block_validity(const Calibration& calibration, double floor) {
  if (!(calibration.before_s > 0.0 && calibration.after_s > 0.0))
    throw Error("timing: a calibration time is not positive");
  const double drift = std::abs(std::log(calibration.after_s / calibration.before_s));
  if (drift > floor) return BlockInvalid{drift};
  return BlockValid{};
}

}  // namespace assay::timing
