#include "verdict/published.h"

#include <array>
#include <cmath>

#include "numerics/float_formats.h"

namespace assay {
namespace {

/// Versions of 2026. AutoKernel by what it allows of matrix products.
constexpr std::array<PublishedRule, 6> kRules{{{"KernelBench", 1e-4, 1e-4, 1e-2, 1e-2},
                                               {"AKO4ALL", 1e-4, 1e-4, 1e-2, 1e-2},
                                               {"flashinfer-bench", 1e-2, 1e-2, 1e-2, 1e-2, true},
                                               {"SOL-ExecBench", 1e-2, 1e-2, 1e-2, 1e-2, false, 0.99, true},
                                               {"CUDA Agent", 1e-2, 1e-2, 1e-2, 1e-2},
                                               {"AutoKernel", 1e-4, 1e-4, 1e-2, 1e-2}}};

double element(const ConstTensorView& view, std::int64_t index) {
  return load_element(view.dtype, view.data + element_offset(view, index) * info(view.dtype).bytes);
}

bool inside(const PublishedRule& rule, double x, double y, double rtol, double atol) {
  if (std::isnan(x) || std::isnan(y)) return false;
  if (x == y) return true;  // equal infinities too
  const double error = std::fabs(x - y);
  if (!rule.either) return error <= atol + rtol * std::fabs(y);
  return error <= atol || error <= rtol * std::fabs(y);
}

}  // namespace

std::span<const PublishedRule> published_rules() {
  return kRules;
}

bool accepts(const PublishedRule& rule, const ConstTensorView& actual, const ConstTensorView& expected) {
  const bool narrow = is_floating(actual.dtype) && info(actual.dtype).bytes < 4;
  const double rtol = narrow ? rule.narrow_rtol : rule.rtol, atol = narrow ? rule.narrow_atol : rule.atol;
  std::int64_t outside = 0;
  bool any = false, finite = true;
  for (std::int64_t i = 0; i < actual.elements; ++i) {
    const double x = element(actual, i);
    any = any || x != 0.0;
    finite = finite && std::isfinite(x);
    outside += inside(rule, x, element(expected, i), rtol, atol) ? 0 : 1;
  }
  if (rule.refuses_zeros && actual.elements > 0 && (!any || !finite)) return false;
  return static_cast<double>(outside) <= (1.0 - rule.matched) * static_cast<double>(actual.elements);
}

}  // namespace assay
