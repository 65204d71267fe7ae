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

/// Both ends of every axis come first, the largest before all: a limit on shapes cuts off what lies between.
std::vector<AxisValues> draw(const Contract& contract, Random& random, int effort) {
  std::vector<AxisValues> largest, smallest, between;
  for (const Axis& axis : contract.axes) {
    std::vector<std::int64_t> sizes = edge_sizes(axis);
    largest.push_back(with_one(contract, axis, sizes.back(), random));
    smallest.push_back(with_one(contract, axis, sizes.front(), random));
    std::shuffle(sizes.begin(), sizes.end(), random);
    sizes.resize(std::min<std::size_t>(sizes.size(), 8 * static_cast<std::size_t>(effort)));
    for (const std::int64_t size : sizes) between.push_back(with_one(contract, axis, size, random));
  }
  std::shuffle(between.begin(), between.end(), random);
  largest.insert(largest.end(), smallest.begin(), smallest.end());
  largest.insert(largest.end(), between.begin(), between.end());
  return largest;
}

const bool kRegistered = Registry<ShapeFamily>::add(
    {"edges", "Sizes beside tile sizes, primes, 0, 1, 2 and both ends of the domain, one axis at a time.", draw, 1});

}  // namespace
}  // namespace assay
