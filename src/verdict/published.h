#pragma once
#include <span>
#include <string_view>

#include "core/tensor.h"

namespace assay {

/// A comparison rule that others decide by (NUMERICS.md, "Published rules worth knowing"; SYSTEMS.md).
struct PublishedRule {
  std::string_view name;
  double rtol = 0.0, atol = 0.0;                ///< for float32 and wider
  double narrow_rtol = 0.0, narrow_atol = 0.0;  ///< for narrower types
  bool either = false;         ///< an element fails only if both its absolute and relative error exceed
  double matched = 1.0;        ///< share of elements that must be inside
  bool refuses_zeros = false;  ///< a result of zeros alone, or with NaN or infinities in it
};

std::span<const PublishedRule> published_rules();

/// Whether `actual` would be accepted beside `expected`, a result of as many elements in the same type.
bool accepts(const PublishedRule& rule, const ConstTensorView& actual, const ConstTensorView& expected);

}  // namespace assay
