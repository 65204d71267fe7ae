#include <array>

#include "reference/operands.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 5> kArgs{{
    {"x", OracleArgKind::input},
    {"weight", OracleArgKind::input},
    {"bias", OracleArgKind::input},
    {"y", OracleArgKind::output},
    {"eps", OracleArgKind::scalar},
}};

constexpr double kOperations = 10;

/// Mean, its magnitude and the factor 1 / sqrt(variance + eps) of one row.
struct RowMoments {
  long double mean = 0.0L, size = 0.0L, factor = 0.0L;
};

RowMoments moments(const double* x, std::int64_t n, long double eps) {
  TwiceSum sum, size;
  for (std::int64_t i = 0; i < n; ++i) {
    sum.add(x[i]);
    size.add(std::fabs(x[i]));
  }
  RowMoments m;
  m.mean = sum.wide() / n;
  m.size = size.wide() / n;
  long double squares = 0.0L;
  for (std::int64_t i = 0; i < n; ++i) squares += (x[i] - m.mean) * (x[i] - m.mean);
  m.factor = 1.0L / std::sqrt(squares / n + eps);
  return m;
}

/// Errors of the mean count against the mean of |x|, which x - mean may cancel; the rest is relative.
OracleAnswer evaluate(const OracleCall& call) {
  return answer([&] {
    const Operands o(call);
    o.rank("x", 1);
    o.same_shape("x", "y");
    const Rows rows = rows_of(o.view("x"));
    for (const char* name : {"weight", "bias"}) {
      if (o.view(name).elements == rows.size) continue;
      throw Misfit{std::string(name) + " is " + shape_text(o.view(name).shape) + " but rows of x have " +
                   std::to_string(rows.size)};
    }
    const std::vector<double> x = o.doubles("x"), weight = o.doubles("weight"), bias = o.doubles("bias");
    RealTruth y = blank_truth(o.view("x").elements, static_cast<double>(rows.size) + kOperations);
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const RowMoments m = moments(x.data() + r * rows.size, rows.size, o.scalar("eps", 0.0));
      for (std::int64_t i = 0; i < rows.size; ++i) {
        const auto at = static_cast<std::size_t>(r * rows.size + i), column = static_cast<std::size_t>(i);
        const long double gain = m.factor * weight[column];
        y.value[at] = static_cast<double>((x[at] - m.mean) * gain + bias[column]);
        y.scale[at] = static_cast<double>((std::fabs(x[at]) + m.size) * std::fabs(gain) + std::fabs(bias[column]));
      }
    }
    Outputs outputs;
    outputs["y"] = std::move(y);
    return outputs;
  });
}

Cost cost(const OracleCall& call) {
  return touch_once(call, 8.0 * elements_of(call, "x"));
}

const bool registered = Registry<Oracle>::add(
    {"layernorm", "y = (x - mean) / sqrt(variance + eps) * weight + bias over the last axis, biased variance", kArgs,
     evaluate, cost});

}  // namespace
}  // namespace assay
