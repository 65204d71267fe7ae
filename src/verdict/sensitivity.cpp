#include "verdict/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <vector>

#include "core/error.h"
#include "numerics/float_formats.h"

namespace assay {
namespace {

double element(const ConstTensorView& view, std::int64_t index) {
  return load_element(view.dtype, view.data + element_offset(view, index) * info(view.dtype).bytes);
}

bool is_float_input(const Tensor& tensor) {
  return holds_input(tensor.role) && is_floating(tensor.dtype);
}

constexpr double kHidden = 0x1p-12, kFloor = 0x1p-4;

/// Root mean square of the finite scales.
double typical(std::span<const double> scales) {
  double sum = 0.0;
  for (const double scale : scales) sum += std::isfinite(scale) ? scale * scale : 0.0;
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(scales.size(), 1)));
}

/// Row by row along the last axis; a tensor whose rows are single elements is one row.
void raise_hidden_scales(std::vector<double>& scales, std::size_t row) {
  if (row < 2) row = scales.size();
  for (std::size_t first = 0; first + row <= scales.size() && row > 0; first += row) {
    const std::span<double> part = std::span(scales).subspan(first, row);
    const double rms = typical(part);
    for (double& scale : part) {
      if (scale < kHidden * rms) scale = kFloor * rms;
    }
  }
}

}  // namespace

RealTruth truth_from_reference(const ConstTensorView& reference, std::span<const ConstTensorView> nudged, double n,
                               double u_in) {
  RealTruth truth{{}, {}, n};
  for (const ConstTensorView& run : nudged) {
    if (run.elements != reference.elements) throw Error("a nudged run of the reference has another size");
  }
  for (std::int64_t i = 0; i < reference.elements; ++i) {
    const double y = element(reference, i);
    double moved = 0.0;
    for (const ConstTensorView& run : nudged) {
      const double change = std::fabs(element(run, i) - y);
      if (std::isfinite(change)) moved = std::max(moved, change);
    }
    truth.value.push_back(y);
    truth.scale.push_back(std::isfinite(y) ? std::fabs(y) + std::sqrt(n) * moved / (2.0 * u_in) : 0.0);
  }
  raise_hidden_scales(truth.scale, reference.shape.empty() ? 1 : static_cast<std::size_t>(reference.shape.back()));
  return truth;
}

double longest_reduction(const Contract& contract, const ConcreteShape& shape, std::size_t output) {
  std::set<std::string> kept;
  for (const Expression& e : contract.tensors[output].shape) {
    for (const std::string& name : e.names()) kept.insert(name);
  }
  double longest = 1.0;
  for (std::size_t t = 0; t < contract.tensors.size(); ++t) {
    const Tensor& tensor = contract.tensors[t];
    if (!is_float_input(tensor)) continue;
    double lacking = 1.0;
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
      const std::vector<std::string> names = tensor.shape[d].names();
      const bool reduced =
          std::none_of(names.begin(), names.end(), [&](const std::string& n) { return kept.count(n) > 0; });
      if (reduced) lacking *= static_cast<double>(shape.tensors[t].shape[d]);
    }
    const double last = tensor.shape.empty() ? 1.0 : static_cast<double>(shape.tensors[t].shape.back());
    longest = std::max({longest, lacking, last});
  }
  return longest;
}

double input_roundoff(const Contract& contract) {
  double u = 0x1p-53;
  for (const Tensor& tensor : contract.tensors) {
    if (is_float_input(tensor)) u = std::max(u, limits_of(tensor.dtype).unit_roundoff);
  }
  return u;
}

}  // namespace assay
