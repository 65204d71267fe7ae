#include "core/shape_family.h"
#include "shapes/axis_sizes.h"

/// Theory: remainders of two axes may be right one at a time and wrong together, because the code for a partial tile in
/// both directions is its own. All axes lie beside tile sizes at once. Held back for `deep`: a search loop that is
/// gated by `quick` or `standard` never sees these, so it can't learn them.
namespace assay {
namespace {

constexpr int kPerEffort = 8;

std::vector<AxisValues> draw(const Contract& contract, Random& random, int effort) {
  std::vector<AxisValues> shapes;
  for (int i = 0; i < kPerEffort * effort; ++i) {
    AxisValues axes;
    for (const Axis& axis : contract.axes) {
      const std::vector<std::int64_t> sizes = edge_sizes(axis);
      axes[axis.name] = sizes[random.below(sizes.size())];
    }
    shapes.push_back(std::move(axes));
  }
  return shapes;
}

const bool kRegistered = Registry<ShapeFamily>::add(
    {"corners", "Sizes beside tile sizes on all axes at once; held back for deep.", draw, 3, Depth::deep});

}  // namespace
}  // namespace assay
