#include <algorithm>
#include <array>

#include "reference/operands.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 5> kArgs{{
    {"x", OracleArgKind::input},
    {"positions", OracleArgKind::input},
    {"y", OracleArgKind::output},
    {"theta", OracleArgKind::scalar, false, 10000.0},
    {"interleaved", OracleArgKind::scalar, false, 0.0},
}};

/// Logarithm or power, quotient, angle, its sine and cosine, two products and a sum.
constexpr double kOperations = 8;

/// Vectors of x that share an entry of positions: positions' axes are x's first ones.
std::int64_t vectors_per_position(const Operands& o) {
  const auto x = o.view("x").shape, positions = o.view("positions").shape;
  const bool fits =
      positions.size() < x.size() && std::equal(positions.begin(), positions.end(), x.begin()) && x.back() % 2 == 0;
  if (!fits) {
    throw Misfit{"x is " + shape_text(x) + " but positions is " + shape_text(positions) +
                 "; positions has the first axes of x, and x an even last one"};
  }
  std::int64_t vectors = 1;
  for (const std::int64_t extent : x.subspan(positions.size(), x.size() - positions.size() - 1)) vectors *= extent;
  return vectors;
}

struct Turn {
  long double cosine = 1.0L, sine = 0.0L;
  double doubt = 0.0;  ///< error of the angle, in units of n u
};

/// The frequency theta^(-2i / D) = e^-L is off by 2 L u (quotient and logarithm) and 2 u of its own, the angle by one
/// rounding more: angle (2 L + 3) u in all, which is below n u times what is returned as doubt.
Turn turn_by(std::int64_t position, std::int64_t i, std::int64_t size, long double theta) {
  const long double power = std::log(theta) * (2.0L * i / size);
  const long double angle = static_cast<long double>(position) * std::exp(-power);
  return {std::cos(angle), std::sin(angle),
          static_cast<double>(std::fabs(angle) * (2.0L * std::fabs(power) + 3.0L)) / kOperations};
}

/// One element: first * a.cosine + second * (plus or minus sine), with what roundoff is measured against.
void put(RealTruth& y, std::size_t at, double along, double across, long double cosine, long double sine,
         double doubt) {
  y.value[at] = static_cast<double>(along * cosine + across * sine);
  const double size = static_cast<double>(std::fabs(along * cosine) + std::fabs(across * sine));
  y.scale[at] = size + doubt * static_cast<double>(std::fabs(along * sine) + std::fabs(across * cosine));
}

OracleAnswer evaluate(const OracleCall& call) {
  return answer([&] {
    const Operands o(call);
    o.rank("x", 1);
    o.same_shape("x", "y");
    const std::int64_t vectors = vectors_per_position(o), size = o.view("x").shape.back(), half = size / 2;
    const bool interleaved = o.flag("interleaved");
    const double theta = o.scalar("theta", 10000.0);
    if (!(theta > 0.0)) throw Misfit{"theta is not positive"};
    const std::vector<double> x = o.doubles("x");
    const std::vector<std::int64_t> positions = o.integers("positions");
    RealTruth y = blank_truth(o.view("x").elements, kOperations);
    for (std::size_t p = 0; p < positions.size(); ++p) {
      for (std::int64_t i = 0; i < half; ++i) {
        const Turn turn = turn_by(positions[p], i, size, theta);
        for (std::int64_t v = 0; v < vectors; ++v) {
          const auto first =
              (p * static_cast<std::size_t>(vectors) + static_cast<std::size_t>(v)) * static_cast<std::size_t>(size);
          const std::size_t a = first + static_cast<std::size_t>(interleaved ? 2 * i : i);
          const std::size_t b = a + static_cast<std::size_t>(interleaved ? 1 : half);
          put(y, a, x[a], x[b], turn.cosine, -turn.sine, turn.doubt);
          put(y, b, x[b], x[a], turn.cosine, turn.sine, turn.doubt);
        }
      }
    }
    Outputs outputs;
    outputs["y"] = std::move(y);
    return outputs;
  });
}

Cost cost(const OracleCall& call) {
  return touch_once(call, 3.0 * elements_of(call, "x"));
}

const bool registered = Registry<Oracle>::add(
    {"rope", "rotates the pairs (i, i + D/2) of each vector by its position; interleaved = 1: the pairs (2i, 2i + 1)",
     kArgs, evaluate, cost});

}  // namespace
}  // namespace assay
