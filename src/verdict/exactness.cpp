#include "verdict/exactness.h"

#include <cmath>

#include "numerics/float_formats.h"

namespace assay {
namespace {

bool is_exact(double value, double scale, double units, double most) {
  return scale * units < most && value * units == std::trunc(value * units);
}

}  // namespace

std::optional<Beyond> judge_exactness(const ConstTensorView& actual, const RealTruth& truth, int granule, int bits) {
  const double units = std::ldexp(1.0, granule), most = std::ldexp(1.0, bits - 1);
  const auto size = info(actual.dtype).bytes;
  std::int64_t decided = 0, wrong = 0, first = -1;
  for (std::int64_t i = 0; i < actual.elements; ++i) {
    const double expected = truth.value[static_cast<std::size_t>(i)];
    if (!is_exact(expected, truth.scale[static_cast<std::size_t>(i)], units, most)) continue;
    if (round_to(actual.dtype, expected) != expected) continue;
    ++decided;
    if (load_element(actual.dtype, actual.data + element_offset(actual, i) * size) == expected) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return std::nullopt;
  return Beyond{Leg::exact, static_cast<double>(wrong), 0.0, first,
                std::to_string(wrong) + " of " + std::to_string(decided) +
                    " elements differ where sums are exact in every order"};
}

}  // namespace assay
