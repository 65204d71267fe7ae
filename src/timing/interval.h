#pragma once
#include <variant>

namespace assay::timing {

/// An estimate with a two-sided interval, in the scale of what went in: log ratios, or ratios after `exp_of`.
struct Interval {
  double estimate = 0.0;
  double low = 0.0;
  double high = 0.0;
  double confidence = 0.0;  ///< what the method really guarantees: at least 1 - alpha
  int n = 0;                ///< independent units that it rests on
};

/// So few units that no interval of the wanted confidence exists.
struct TooFew {
  int have = 0;
  int need = 0;
};

using Estimate = std::variant<Interval, TooFew>;

/// An interval of log ratios as one of ratios; confidence and count stay.
Interval exp_of(const Interval& log_scale);
Estimate exp_of(const Estimate& log_scale);

}  // namespace assay::timing
