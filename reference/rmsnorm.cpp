#include <array>

#include "reference/operands.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 4> kArgs{{
    {"x", OracleArgKind::input},
    {"weight", OracleArgKind::input},
    {"y", OracleArgKind::output},
    {"eps", OracleArgKind::scalar},
}};

/// Square, mean, eps, root, division and two products come on top of the sum of squares.
constexpr double kOperations = 8;

OracleAnswer evaluate(const OracleCall& call) {
  return answer([&] {
    const Operands o(call);
    o.rank("x", 1);
    o.same_shape("x", "y");
    const Rows rows = rows_of(o.view("x"));
    if (o.view("weight").elements != rows.size) {
      throw Misfit{"weight is " + shape_text(o.view("weight").shape) + " but rows of x have " +
                   std::to_string(rows.size)};
    }
    const std::vector<double> x = o.doubles("x"), weight = o.doubles("weight");
    const long double eps = o.scalar("eps", 0.0);
    RealTruth y = blank_truth(o.view("x").elements, static_cast<double>(rows.size) + kOperations);
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const double* row = x.data() + r * rows.size;
      TwiceSum squares;
      for (std::int64_t i = 0; i < rows.size; ++i) squares.add_product(row[i], row[i]);
      const long double factor = 1.0L / std::sqrt(squares.wide() / rows.size + eps);
      for (std::int64_t i = 0; i < rows.size; ++i) {
        const auto at = static_cast<std::size_t>(r * rows.size + i);
        y.value[at] = static_cast<double>(row[i] * factor * weight[static_cast<std::size_t>(i)]);
        y.scale[at] = std::fabs(y.value[at]);  // a sum of squares has no cancellation
      }
    }
    Outputs outputs;
    outputs["y"] = std::move(y);
    return outputs;
  });
}

Cost cost(const OracleCall& call) {
  return touch_once(call, 4.0 * elements_of(call, "x"));
}

const bool registered = Registry<Oracle>::add(
    {"rmsnorm", "y = x / sqrt(mean(x^2) + eps) * weight over the last axis", kArgs, evaluate, cost});

}  // namespace
}  // namespace assay
