#include <algorithm>

#include "core/shape_family.h"
#include "shapes/axis_sizes.h"

/// Theory: kernels are tiled, so mistakes sit beside the tile sizes: one off a power of two or a multiple of 16, 32, 64
/// or 128, at primes, at 0, 1 and 2, and at both ends of the domain. Each axis takes each such size once while the
/// others take small ones, so that the family grows with the sum of the axes, not with their product.
namespace assay {
namespace {

AxisValues with_one(const Contract& contract, const Axis& tested, std::int64_t size, Random& random) {
  AxisValues axes;
  for (const Axis& axis : contract.axes) axes[axis.name] = company(axis, random);
  axes[tested.name] = size;
  return axes;
}

std::vector<AxisValues> draw(const Contract& contract, Random& random, int effort) {
  std::vector<AxisValues> shapes;
  for (const Axis& axis : contract.axes) {
    std::vector<std::int64_t> sizes = edge_sizes(axis);
    const std::size_t wanted = std::min<std::size_t>(sizes.size(), 8 * static_cast<std::size_t>(effort));
    std::vector<std::int64_t> chosen{sizes.front(), sizes.back()};
    std::shuffle(sizes.begin(), sizes.end(), random);
    for (std::size_t i = 0; i < sizes.size() && chosen.size() < wanted; ++i) chosen.push_back(sizes[i]);
    for (const std::int64_t size : chosen) shapes.push_back(with_one(contract, axis, size, random));
  }
  return shapes;
}

const bool kRegistered = Registry<ShapeFamily>::add(
    {"edges", "Sizes beside tile sizes, primes, 0, 1, 2 and both ends of the domain, one axis at a time.", draw, 1});

}  // namespace
}  // namespace assay
