#include <algorithm>

#include "core/shape_family.h"
#include "core/tensor.h"
#include "shapes/axis_sizes.h"

/// Theory: an index or a byte offset of 32 bits is right up to 2^31 and wrong just beyond. For each axis the smallest
/// size is taken that puts some tensor over 2^31 bytes, and over 2^31 elements, the other axes being production's.
namespace assay {
namespace {

constexpr std::int64_t kLimit = std::int64_t{1} << 31;

std::int64_t largest(const Contract& contract, const AxisValues& axes, bool bytes) {
  const auto shape = concretise(contract, axes);
  const auto* concrete = std::get_if<ConcreteShape>(&shape);
  if (!concrete) return 0;
  std::int64_t most = 0;
  for (const ConcreteTensor& tensor : concrete->tensors) most = std::max(most, bytes ? tensor.bytes : tensor.span);
  return most;
}

AxisValues usual(const Contract& contract) {
  if (!contract.shapes.empty()) return contract.shapes.front().axes;
  AxisValues axes;
  for (const Axis& axis : contract.axes) axes[axis.name] = round_into(axis, 1);
  return axes;
}

/// The least size of `axis` that goes beyond the limit; 0 where none does. Sizes of tensors grow with their axes.
std::int64_t least_beyond(const Contract& contract, const Axis& axis, AxisValues axes, bool bytes) {
  const std::int64_t step = std::max<std::int64_t>(axis.multiple_of, 1);
  std::int64_t low = axis.min / step, high = axis.max / step;
  const auto beyond = [&](std::int64_t steps) {
    axes[axis.name] = steps * step;
    return largest(contract, axes, bytes) > kLimit;
  };
  if (!axis.values.empty() || !beyond(high)) return 0;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    beyond(middle) ? high = middle : low = middle + 1;
  }
  return high * step;
}

std::vector<AxisValues> draw(const Contract& contract, Random&, int) {
  std::vector<AxisValues> shapes;
  for (const Axis& axis : contract.axes) {
    for (const bool bytes : {true, false}) {
      AxisValues axes = usual(contract);
      const std::int64_t size = least_beyond(contract, axis, axes, bytes);
      if (size == 0) continue;
      axes[axis.name] = size;
      shapes.push_back(std::move(axes));
    }
  }
  return shapes;
}

const bool kRegistered = Registry<ShapeFamily>::add(
    {"huge", "Just beyond 2^31 bytes and 2^31 elements, where the domain has that.", draw, 4, Depth::deep, true});

}  // namespace
}  // namespace assay
