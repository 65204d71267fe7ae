#include "roi/monte_carlo.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/seed.h"
#include "roi/valid.h"

namespace assay::roi {
namespace {

constexpr double kZ95 = 1.6448536269514722;  // the 95th percentile of the standard normal
constexpr double kLeastShare = 1e-12;

/// Standard normal deviates in pairs (Box and Muller 1958).
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : random_(seed) {}

  double operator()() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2.0 * std::log(1.0 - random_.unit()));
    const double angle = 2.0 * std::numbers::pi * random_.unit();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

 private:
  Random random_;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

/// Two half normals that meet at the median.
struct TwoPiece {
  double middle = 0.0, below = 0.0, above = 0.0;

  bool fixed() const { return below == 0.0 && above == 0.0; }
  double draw(Normal& normal) const {
    if (fixed()) return middle;
    const double z = normal();
    return middle + z * (z < 0.0 ? below : above);
  }
};

TwoPiece two_piece(const Quantiles& q) {
  return {q.p50, (q.p50 - q.p05) / kZ95, (q.p95 - q.p50) / kZ95};
}

/// A positive quantity: two half normals in its logarithm.
struct Positive {
  TwoPiece logarithm;
  double value = 1.0;  ///< the median itself: no round trip through exp

  double draw(Normal& normal) const { return logarithm.fixed() ? value : std::exp(logarithm.draw(normal)); }
};

Positive positive(const Quantiles& q) {
  if (is_point(q)) return {{}, q.p50};
  return {two_piece({std::log(q.p05), std::log(q.p50), std::log(q.p95)}), q.p50};
}

struct ShapeDraw {
  Positive weight, speedup;
  double time_s = 0.0, alternative = 1.0;
};

struct KernelDraw {
  TwoPiece share;
  std::vector<ShapeDraw> shapes;
};

Quantiles credited(const ShapeInput& shape) {
  return shape.status == SpeedStatus::audited ? shape.speedup : Quantiles{1.0, 1.0, 1.0};
}

double credited_alternative(const ShapeInput& shape) {
  return shape.status == SpeedStatus::audited ? shape.alternative_speedup : 1.0;
}

/// Fallback shapes still run today's kernel or the alternative: nothing is credited or lost there.
std::vector<KernelDraw> plan(std::span<const KernelInput> kernels) {
  std::vector<KernelDraw> draws;
  for (const KernelInput& kernel : kernels) {
    KernelDraw draw{two_piece(kernel.share), {}};
    for (const ShapeInput& shape : kernel.shapes) {
      draw.shapes.push_back(
          {positive(shape.weight), positive(credited(shape)), shape.time_s, credited_alternative(shape)});
    }
    draws.push_back(std::move(draw));
  }
  return draws;
}

bool uncertain(std::span<const KernelInput> kernels) {
  return std::any_of(kernels.begin(), kernels.end(), [](const KernelInput& kernel) {
    return !is_point(kernel.share) || std::any_of(kernel.shapes.begin(), kernel.shapes.end(), [](const auto& shape) {
      return !is_point(shape.weight) || !is_point(credited(shape));
    });
  });
}

/// One world: shares, and the time that they take after the swap and with the alternative.
struct World {
  double share = 0.0, after = 0.0, alternative = 0.0;
};

void add_kernel(World& world, const KernelDraw& kernel, Normal& normal) {
  // A kernel without any time has no speed-up: where the share is only drawn, next to nothing keeps it defined.
  const double least = kernel.share.fixed() ? 0.0 : kLeastShare;
  const double share = std::clamp(kernel.share.draw(normal), least, 1.0);
  double time = 0.0, after = 0.0, alternative = 0.0;
  for (const ShapeDraw& shape : kernel.shapes) {
    const double own = shape.weight.draw(normal) * shape.time_s;
    time += own;
    after += own / shape.speedup.draw(normal);
    alternative += own / shape.alternative;
  }
  world.share += share;
  world.after += share * after / time;
  world.alternative += share * alternative / time;
}

/// Shares drawn one by one may exceed the whole: they are scaled back.
World draw_world(const std::vector<KernelDraw>& kernels, Normal& normal) {
  World world;
  for (const KernelDraw& kernel : kernels) add_kernel(world, kernel, normal);
  if (world.share <= 1.0) return world;
  return {1.0, world.after / world.share, world.alternative / world.share};
}

}  // namespace

std::vector<Part> parts_of(std::span<const KernelInput> kernels) {
  std::vector<Part> parts;
  for (const KernelInput& kernel : kernels) {
    std::vector<MixShape> mix;
    for (const ShapeInput& shape : kernel.shapes) mix.push_back({shape.weight.p50, shape.time_s});
    std::vector<double> shares(mix.size());
    split_share(kernel.share.p50, mix, shares);
    for (std::size_t i = 0; i < mix.size(); ++i) {
      parts.push_back({shares[i], credited(kernel.shapes[i]).p50, credited_alternative(kernel.shapes[i])});
    }
  }
  return parts;
}

Quantiles quantiles_of(std::vector<double>& values) {
  const auto at = [&](double p) {
    const auto rank = static_cast<std::ptrdiff_t>(std::ceil(p * static_cast<double>(values.size()))) - 1;
    const auto place = values.begin() + std::max<std::ptrdiff_t>(rank, 0);
    std::nth_element(values.begin(), place, values.end());
    return *place;
  };
  return {at(0.05), at(0.50), at(0.95)};
}

Spread simulate(std::span<const KernelInput> kernels, double dispatch, std::int64_t draws, std::uint64_t seed) {
  if (!uncertain(kernels) || draws <= 0) return {};
  const std::vector<KernelDraw> plans = plan(kernels);
  const auto count = static_cast<std::size_t>(draws);
  std::vector<double> shares(count), speedups(count), saved(count), end_to_end(count);
  Normal normal(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const World world = draw_world(plans, normal);
    const double before = 1.0 - world.share + world.alternative;
    const double after = 1.0 - world.share + world.after + dispatch;
    shares[i] = world.share;
    speedups[i] = world.after > 0.0 ? world.share / world.after : 1.0;
    saved[i] = before - after;
    end_to_end[i] = before / after;
  }
  return {draws, quantiles_of(shares), quantiles_of(speedups), quantiles_of(saved), quantiles_of(end_to_end)};
}

namespace {

/// Quantile of the standard normal by bisection: exact enough, and rarely needed.
double normal_quantile(double p) {
  double low = -40.0, high = 40.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2.0;
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < p ? low : high) = middle;
  }
  return (low + high) / 2.0;
}

}  // namespace

Quantiles quantiles_from_interval(double estimate, double low, double high, double confidence) {
  check_positive("speed-up", estimate);
  check_positive("lower end of the speed-up", low);
  check_positive("upper end of the speed-up", high);
  if (!(confidence > 0.0 && confidence < 1.0)) fail("the confidence of an interval must lie between 0 and 1");
  if (low > estimate || estimate > high) {
    fail("the speed-up " + number_text(estimate) + " lies outside its own interval " + number_text(low) + " to " +
         number_text(high));
  }
  const double shrink = kZ95 / normal_quantile(0.5 + confidence / 2.0);
  return {estimate * std::pow(low / estimate, shrink), estimate, estimate * std::pow(high / estimate, shrink)};
}

}  // namespace assay::roi
