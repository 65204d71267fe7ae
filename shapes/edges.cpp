#include <algorithm>
#include <set>

#include "core/shape_family.h"

/// Theory: kernels are tiled, so mistakes sit beside the tile sizes: one off a power of two or a multiple of 16, 32, 64
/// or 128, at primes, at 0, 1 and 2, and at both ends of the domain. Each axis takes each such size once while the
/// others take small ones, so that the family grows with the sum of the axes, not with their product.
namespace assay {
namespace {

constexpr std::int64_t kSizes[] = {0,   1,   2,   3,   7,    8,    9,    15,   16,   17,   31,   32,   33,   47,  48,
                                   49,  63,  64,  65,  97,   127,  128,  129,  191,  193,  255,  256,  257,  383, 385,
                                   509, 511, 512, 513, 1021, 1023, 1024, 1025, 2047, 2049, 4093, 4095, 4096, 4097};

std::int64_t round_into(const Axis& axis, std::int64_t size) {
  size = std::clamp(size, axis.min, axis.max);
  if (!axis.values.empty()) {
    const auto it = std::lower_bound(axis.values.begin(), axis.values.end(), size);
    return it == axis.values.end() ? axis.values.back() : *it;
  }
  const std::int64_t step = std::max<std::int64_t>(axis.multiple_of, 1);
  const std::int64_t down = size / step * step;
  if (down >= axis.min) return down;
  const std::int64_t up = down + step;
  return up <= axis.max ? up : axis.min;
}

std::vector<std::int64_t> sizes_of(const Axis& axis) {
  std::set<std::int64_t> sizes{round_into(axis, axis.min), round_into(axis, axis.max)};
  for (const std::int64_t size : kSizes) {
    if (size >= axis.min && size <= axis.max) sizes.insert(round_into(axis, size));
  }
  for (const std::int64_t size : axis.values) {
    if (sizes.size() < 64) sizes.insert(size);
  }
  return {sizes.begin(), sizes.end()};
}

/// A size for the axes that aren't the one under test: small, and rarely the same.
std::int64_t company(const Axis& axis, Random& random) {
  constexpr std::int64_t kSmall[] = {1, 2, 3, 5, 8, 17, 33};
  return round_into(axis, kSmall[random.below(std::size(kSmall))]);
}

AxisValues with_one(const Contract& contract, const Axis& tested, std::int64_t size, Random& random) {
  AxisValues axes;
  for (const Axis& axis : contract.axes) axes[axis.name] = company(axis, random);
  axes[tested.name] = size;
  return axes;
}

std::vector<AxisValues> draw(const Contract& contract, Random& random, int effort) {
  std::vector<AxisValues> shapes;
  for (const Axis& axis : contract.axes) {
    std::vector<std::int64_t> sizes = sizes_of(axis);
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
