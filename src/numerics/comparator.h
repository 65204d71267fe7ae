#pragma once
#include <optional>

#include "core/oracle.h"
#include "numerics/error_profile.h"
#include "numerics/poison.h"

namespace assay {

/// Policy `allclose`: |x - y| <= atol + rtol |y|.
struct Band {
  double rtol = 0.0;
  double atol = 0.0;
};

struct CompareOptions {
  double u = 0x1p-24;            ///< unit roundoff of the contract's precision; > 0
  double u_out = 0.0;            ///< rounding of the output, relative to |y|: taken off before `excess`
  double floor = 0.0;            ///< absolute error that underflow excuses: taken off before `excess`
  double overflow_margin = 0.0;  ///< ρ by which a truth next to the overflow threshold may be missed on either side
  bool bits = false;             ///< exact truth: every bit counts, NaN payloads too
  bool special_values = true;    ///< false: where the truth is NaN or infinite anything goes
  std::optional<Band> band;
  std::optional<PoisonSpec> poison;  ///< what the region that starts at the tensor's first element held before
};

/// Compares every element of `actual` with `truth`, row-major and of as many elements, in one pass that never stops
/// early. Throws Error where their sizes differ. The same input gives the same statistics, bit for bit, on every
/// machine.
ErrorProfile compare(const ConstTensorView& actual, const Truth& truth, const CompareOptions& options);

}  // namespace assay
