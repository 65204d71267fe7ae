#include <array>

#include "reference/operands.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 6> kArgs{{
    {"x", OracleArgKind::input},
    {"w_gate", OracleArgKind::input},
    {"w_up", OracleArgKind::input},
    {"w_down", OracleArgKind::input},
    {"y", OracleArgKind::output},
    {"trans_w", OracleArgKind::scalar, false, 0.0},
}};

/// Exponential (a few units), sum, division and product come on top of the two dot products.
constexpr double kOperations = 12;

struct Sizes {
  std::int64_t rows = 0, in = 0, middle = 0, out = 0;
};

Sizes sizes_of(const Operands& o, bool transposed) {
  o.rank("x", 1);
  o.rank("y", 1);
  const auto shape = [&](std::string_view name) {
    const auto s = o.view(name).shape;
    if (s.size() != 2) throw Misfit{std::string(name) + " is " + shape_text(s) + " but needs 2 axes"};
    return transposed ? std::array{s[1], s[0]} : std::array{s[0], s[1]};
  };
  const auto gate = shape("w_gate"), up = shape("w_up"), down = shape("w_down");
  const Rows x = rows_of(o.view("x")), y = rows_of(o.view("y"));
  const bool fits = gate == up && gate[0] == x.size && down[0] == gate[1] && down[1] == y.size &&
                    (x.count == y.count || o.view("x").elements == 0);
  if (!fits) {
    throw Misfit{"x " + shape_text(o.view("x").shape) + ", w_gate " + shape_text(o.view("w_gate").shape) + ", w_up " +
                 shape_text(o.view("w_up").shape) + " and w_down " + shape_text(o.view("w_down").shape) +
                 " do not give y " + shape_text(o.view("y").shape)};
  }
  return {y.count, gate[0], gate[1], down[1]};
}

/// A dot product and the sum of magnitudes that its roundoff is measured against.
template <class Real>
struct Dot {
  Real sum = 0, size = 0;
  void add(Real a, Real b) {
    sum += a * b;
    size += std::fabs(a * b);
  }
};

/// A weight as rows of in x out, whichever way it lies.
struct Weight {
  const std::vector<double>& data;
  std::int64_t row_step, column_step;
  double at(std::int64_t in, std::int64_t out) const {
    return data[static_cast<std::size_t>(in * row_step + out * column_step)];
  }
};

Weight weight_of(const std::vector<double>& data, std::int64_t in, std::int64_t out, bool transposed) {
  return transposed ? Weight{data, 1, in} : Weight{data, out, 1};
}

/// One element of the middle: h = silu(g) u, and the errors that it brings along. g and u are dot products of `in`
/// roundings, and silu adds its own: in units of n roundings these count √(in / n) and 1. A kernel in a narrow type may
/// round g, u, silu(g) and h, each by itself.
template <class Real>
struct Middle {
  Real h = 0;
  double doubt = 0.0;    ///< error of h, in units of what n roundings make of it
  double rounded = 0.0;  ///< error of h by rounding intermediates, in units of u, root of the sum of squares

  Middle(const Dot<Real>& gate, const Dot<Real>& up, double of_dot) {
    const Real sigmoid = 1 / (1 + std::exp(-gate.sum)), silu = gate.sum * sigmoid;
    h = silu * up.sum;
    const double slope = static_cast<double>(std::fabs(sigmoid * (1 + gate.sum * (1 - sigmoid)) * up.sum));
    const double size = static_cast<double>(std::fabs(h)), bend = slope * static_cast<double>(std::fabs(gate.sum));
    doubt = size + bend +
            of_dot * (slope * static_cast<double>(gate.size) + static_cast<double>(std::fabs(silu) * up.size));
    rounded = std::sqrt(3.0 * size * size + bend * bend);
  }
};

template <class Real>
RealTruth multiply(const Operands& o, const Sizes& s, bool transposed) {
  const std::vector<double> x = o.doubles("x"), gates = o.doubles("w_gate"), ups = o.doubles("w_up"),
                            downs = o.doubles("w_down");
  const Weight gate = weight_of(gates, s.in, s.middle, transposed), up = weight_of(ups, s.in, s.middle, transposed),
               down = weight_of(downs, s.middle, s.out, transposed);
  RealTruth y = blank_truth(s.rows * s.out, static_cast<double>(s.in + s.middle) + kOperations);
  y.matrix_unit = true;
  const double of_dot = std::sqrt(static_cast<double>(s.in) / y.n);
  std::vector<Real> sums(static_cast<std::size_t>(s.out));
  std::vector<double> squares(static_cast<std::size_t>(s.out));
  for (std::int64_t r = 0; r < s.rows; ++r) {
    std::fill(sums.begin(), sums.end(), Real(0));
    std::fill(squares.begin(), squares.end(), 0.0);
    double* scale = y.scale.data() + r * s.out;
    for (std::int64_t m = 0; m < s.middle; ++m) {
      Dot<Real> g, u;
      for (std::int64_t i = 0; i < s.in; ++i) {
        const double each = x[static_cast<std::size_t>(r * s.in + i)];
        g.add(each, gate.at(i, m));
        u.add(each, up.at(i, m));
      }
      const Middle<Real> middle(g, u, of_dot);
      for (std::int64_t c = 0; c < s.out; ++c) {
        const auto at = static_cast<std::size_t>(c);
        const double w = down.at(m, c);
        sums[at] += middle.h * w;
        scale[c] += std::fabs(w) * middle.doubt;
        squares[at] += w * w * middle.rounded * middle.rounded;
      }
    }
    for (std::size_t c = 0; c < sums.size(); ++c) {
      const std::size_t at = static_cast<std::size_t>(r * s.out) + c;
      y.value[at] = static_cast<double>(sums[c]);
      if (!std::isfinite(y.scale[at])) y.scale[at] = 0.0;
      if (y.scale[at] > 0.0) y.between = std::max(y.between, std::sqrt(squares[c]) / y.scale[at]);
    }
  }
  return y;
}

OracleAnswer evaluate(const OracleCall& call) {
  return answer([&] {
    const Operands o(call);
    const bool transposed = o.flag("trans_w");
    const Sizes s = sizes_of(o, transposed);
    const bool wide = needs_twice(o, {"x", "w_gate", "w_up", "w_down"});
    Outputs outputs;
    outputs["y"] = wide ? multiply<long double>(o, s, transposed) : multiply<double>(o, s, transposed);
    return outputs;
  });
}

Cost cost(const OracleCall& call) {
  const auto gate = call.tensors.find("w_gate"), x = call.tensors.find("x");
  if (gate == call.tensors.end() || x == call.tensors.end()) return touch_once(call, 0.0);
  const Rows rows = rows_of(x->second);
  const double weights = elements_of(call, "w_gate") + elements_of(call, "w_up") + elements_of(call, "w_down");
  return touch_once(call, 2.0 * static_cast<double>(rows.count) * weights);
}

const bool registered =
    Registry<Oracle>::add({"fused_mlp", "y = (silu(x w_gate) * (x w_up)) w_down; trans_w = 1: weights lie as [out, in]",
                           kArgs, evaluate, cost});

}  // namespace
}  // namespace assay
