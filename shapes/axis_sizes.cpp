#include "shapes/axis_sizes.h"

#include <algorithm>
#include <set>

namespace assay {
namespace {

constexpr std::int64_t kSizes[] = {0,   1,   2,   3,   7,    8,    9,    15,   16,   17,   31,   32,   33,   47,  48,
                                   49,  63,  64,  65,  97,   127,  128,  129,  191,  193,  255,  256,  257,  383, 385,
                                   509, 511, 512, 513, 1021, 1023, 1024, 1025, 2047, 2049, 4093, 4095, 4096, 4097};

}  // namespace

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

std::vector<std::int64_t> edge_sizes(const Axis& axis) {
  std::set<std::int64_t> sizes{round_into(axis, axis.min), round_into(axis, axis.max)};
  for (const std::int64_t size : kSizes) {
    if (size >= axis.min && size <= axis.max) sizes.insert(round_into(axis, size));
  }
  for (const std::int64_t size : axis.values) {
    if (sizes.size() < 64) sizes.insert(size);
  }
  return {sizes.begin(), sizes.end()};
}

std::int64_t company(const Axis& axis, Random& random) {
  constexpr std::int64_t kSmall[] = {1, 2, 3, 5, 8, 17, 33};
  return round_into(axis, kSmall[random.below(std::size(kSmall))]);
}

}  // namespace assay
