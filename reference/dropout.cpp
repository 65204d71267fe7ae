#include <algorithm>
#include <array>
#include <cmath>

#include "reference/draws.h"
#include "reference/measures.h"
#include "reference/operands.h"

/// Theory. Which elements dropout keeps is free; what it does to them isn't: zero, or x / (1 - p). Of the mask one call
/// can say whether as many are kept as one in 1 / (1 - p) draws would keep, whether that depends on the values (large
/// ones kept more often), and whether the mask repeats itself: elements at one distance agree as often as independent
/// draws do, for every power of two and for the distance of a row. Each is a sum of independent steps (draws.h).
/// Elements that are zero or not finite, whose fate doesn't show, take no part.
namespace assay {
namespace {

constexpr std::array<OracleArg, 4> kArgs{{{"x", OracleArgKind::input},
                                          {"y", OracleArgKind::output},
                                          {"p", OracleArgKind::scalar},
                                          {kSeedArgument, OracleArgKind::scalar, false}}};

/// 1 - p, its reciprocal and the product.
constexpr double kRoundings = 4.0;
/// Below this, rounding is not relative any more in float32 and narrower types' neighbours of zero.
constexpr double kFaint = 1e-30;

enum class Fate : std::uint8_t { hidden, kept, dropped };

std::vector<Fate> fates(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<Fate> all(x.size(), Fate::hidden);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::fabs(x[i]) > kFaint && std::isfinite(x[i])) all[i] = y[i] == 0.0 ? Fate::dropped : Fate::kept;
  }
  return all;
}

/// Draws of `weight` with probability `kept`, else nothing.
bool fair_share(const std::vector<Fate>& mask, double kept, const std::vector<double>& x, double (*weight)(double)) {
  Likelihood sum;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] == Fate::hidden) continue;
    const double w = weight(x[i]);
    sum.see(mask[i] == Fate::kept ? w : 0.0, w * kept, w * w * kept * (1.0 - kept),
            std::fabs(w) * std::max(kept, 1.0 - kept));
  }
  return sum.plausible();
}

/// Pairs at `distance`, no element in two of them.
bool independent(const std::vector<Fate>& mask, double kept, std::size_t distance) {
  const double alike = kept * kept + (1.0 - kept) * (1.0 - kept);
  Likelihood sum;
  for (std::size_t i = 0; i + distance < mask.size(); ++i) {
    const Fate a = mask[i], b = mask[i + distance];
    if ((i / distance) % 2 != 0 || a == Fate::hidden || b == Fate::hidden) continue;
    sum.see(a == b ? 1.0 : 0.0, alike, alike * (1.0 - alike), std::max(alike, 1.0 - alike));
  }
  return sum.plausible();
}

std::vector<std::size_t> distances(std::span<const std::int64_t> shape, std::size_t size) {
  std::vector<std::size_t> all;
  for (std::size_t d = 1; d < size; d *= 2) all.push_back(d);
  std::size_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 1;) {
    stride *= static_cast<std::size_t>(shape[axis]);
    if (stride > 0 && stride < size) all.push_back(stride);
  }
  return all;
}

Property scaled(const std::vector<Fate>& mask, const std::vector<double>& x, const std::vector<double>& y,
                double kept) {
  Largest error("y", "what is kept is x / (1 - p)", kRoundings);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] != Fate::kept || std::isinf(y[i])) continue;
    const double right = x[i] / kept;
    error.see(i, std::fabs(y[i] - right) / std::fabs(right));
  }
  return error.property();
}

/// An infinity is right only where x / (1 - p) may round to one; NaN never of finite numbers.
Property unheard_of(const ConstTensorView& out, const std::vector<double>& x, const std::vector<double>& y,
                    double kept) {
  Broken broken("y", "zeros stay zero, and finite numbers become finite ones");
  const double largest = out.dtype == DType::f16 ? 65000.0 : 3e38;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == 0.0)
      broken.see(i, y[i] == 0.0);
    else if (std::isfinite(x[i]))
      broken.see(i, std::isfinite(y[i]) || std::fabs(x[i]) / kept > largest);
  }
  return broken.property();
}

PropertyAnswer dropout(const OracleCall& call) {
  return properties([&] {
    const Operands o(call);
    o.same_shape("x", "y");
    const double p = o.scalar("p", 0.0);
    if (!(p >= 0.0 && p < 1.0)) throw Misfit{"the scalar p must be a probability below 1"};
    const std::vector<double> x = o.doubles("x"), y = o.doubles("y");
    const std::vector<Fate> mask = fates(x, y);
    Broken share("y", "as many elements are kept as p says"), blind("y", "what is kept doesn't depend on the values"),
        apart("y", "elements are dropped independently of each other");
    if (!x.empty()) {
      share.see(0, fair_share(mask, 1.0 - p, x, [](double) { return 1.0; }));
      blind.see(0, fair_share(mask, 1.0 - p, x, [](double v) { return v; }));
      blind.see(0, fair_share(mask, 1.0 - p, x, [](double v) { return std::fabs(v); }));
    }
    for (const std::size_t d : distances(o.view("x").shape, x.size())) apart.see(0, independent(mask, 1.0 - p, d));
    return std::vector{scaled(mask, x, y, 1.0 - p), unheard_of(o.view("y"), x, y, 1.0 - p), share.property(),
                       blind.property(), apart.property()};
  });
}

const bool kRegistered = Registry<Oracle>::add(
    {"dropout", "y = x / (1 - p) or 0, the latter with probability p (property)", kArgs, nullptr, nullptr, dropout});

}  // namespace
}  // namespace assay
