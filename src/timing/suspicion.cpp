#include "timing/suspicion.h"

#include <algorithm>
#include <cmath>

#include "timing/processes.h"

namespace assay::timing {

Excess exceeds(std::span<const double> values, double margin, double level) {
  const int n = static_cast<int>(values.size());
  if (n < kAccusers) return TooFew{n, kAccusers};
  const double least = *std::min_element(values.begin(), values.end());
  if (least <= margin) return Below{};
  const Interval interval = std::get<Interval>(student_interval(values, level));
  const bool gross = margin > 0.0 && least > margin * std::pow(level, -1.0 / n);
  return gross || interval.low > margin ? Excess{Above{interval}} : Excess{Below{}};
}

}  // namespace assay::timing
