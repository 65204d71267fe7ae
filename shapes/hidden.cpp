#include <rapidcheck.h>

#include <cmath>

#include "core/shape_family.h"
#include "shapes/axis_sizes.h"

/// Theory: a kernel that knows the shapes of the test, or a list of likely ones, is right on lists only. These come
/// from nothing but the seed: every axis at once, each with as many digits as chance wants, so that small and large
/// sizes are equally likely. RapidCheck generates them and proposes smaller ones when a shape fails.
namespace assay {
namespace {

constexpr std::int64_t kSteps = 1 << 20;
constexpr int kPerEffort = 12;

/// Logarithmically uniform over the axis' domain. `reach` in (0, 1] holds all axes of a shape back together, else most
/// shapes would be too large to call.
std::int64_t size_at(const Axis& axis, std::int64_t step, double reach) {
  if (!axis.values.empty()) return axis.values[static_cast<std::size_t>(step) % axis.values.size()];
  const double share = reach * static_cast<double>(step) / static_cast<double>(kSteps);
  const double range = static_cast<double>(axis.max - axis.min) + 1.0;
  return round_into(axis, axis.min + static_cast<std::int64_t>(std::pow(range, share)) - 1);
}

rc::Gen<AxisValues> shape_of(const Contract& contract) {
  return rc::gen::map(rc::gen::container<std::vector<std::int64_t>>(contract.axes.size() + 1,
                                                                    rc::gen::inRange<std::int64_t>(0, kSteps)),
                      [&contract](const std::vector<std::int64_t>& steps) {
                        AxisValues axes;
                        const double reach = 0.5 + 0.5 * static_cast<double>(steps.back()) / kSteps;
                        for (std::size_t i = 0; i < contract.axes.size(); ++i) {
                          axes[contract.axes[i].name] = size_at(contract.axes[i], steps[i], reach);
                        }
                        return axes;
                      });
}

std::vector<AxisValues> draw(const Contract& contract, Random& random, int effort) {
  const rc::Gen<AxisValues> generator = shape_of(contract);
  std::vector<AxisValues> shapes;
  for (int i = 0; i < kPerEffort * effort; ++i) {
    shapes.push_back(generator(rc::Random(random()), rc::kNominalSize).value());
  }
  return shapes;
}

std::vector<AxisValues> smaller(const Contract& contract, const AxisValues& axes) {
  std::vector<AxisValues> shapes;
  for (const Axis& axis : contract.axes) {
    const std::int64_t now = axes.at(axis.name);
    rc::Seq<std::int64_t> sizes = rc::shrink::towards(now, std::min(axis.min, now));
    for (auto size = sizes.next(); size; size = sizes.next()) {
      AxisValues candidate = axes;
      candidate[axis.name] = round_into(axis, *size);
      if (candidate[axis.name] < now) shapes.push_back(std::move(candidate));
    }
  }
  return shapes;
}

const bool kRegistered = Registry<ShapeFamily>::add(
    {"hidden", "Shapes that nothing but chance picks, every axis at once.", draw, 2, Depth::quick, false, smaller});

}  // namespace
}  // namespace assay
