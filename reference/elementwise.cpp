#include <algorithm>
#include <array>

#include "reference/operands.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 3> kBinaryArgs{
    {{"a", OracleArgKind::input}, {"b", OracleArgKind::input}, {"out", OracleArgKind::output}}};
constexpr std::array<OracleArg, 2> kUnaryArgs{{{"x", OracleArgKind::input}, {"out", OracleArgKind::output}}};

/// Value and error scale of one element.
struct Point {
  long double value;
  long double scale;
};

Point relative(long double value) {
  return {value, std::fabs(value)};
}

Outputs real_binary(const Operands& o, Point (*f)(long double, long double)) {
  const std::vector<double> a = o.doubles("a"), b = o.doubles("b");
  RealTruth out = blank_truth(o.view("out").elements, 1.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Point point = f(a[i], b[i]);
    out.value[i] = static_cast<double>(point.value);
    out.scale[i] = static_cast<double>(point.scale);
  }
  Outputs outputs;
  outputs["out"] = std::move(out);
  return outputs;
}

Outputs whole_binary(const Operands& o, Int128 (*f)(Int128, Int128)) {
  const std::vector<std::int64_t> a = o.integers("a"), b = o.integers("b");
  std::vector<Int128> out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = f(a[i], b[i]);
  Outputs outputs;
  outputs["out"] = integer_truth(o.view("out"), out, "out");
  return outputs;
}

OracleAnswer binary(const OracleCall& call, Point (*real)(long double, long double), Int128 (*whole)(Int128, Int128)) {
  return answer([&] {
    const Operands o(call);
    o.same_shape("a", "out");
    o.same_shape("b", "out");
    const bool floats = is_floating(o.view("a").dtype) || is_floating(o.view("b").dtype);
    return floats ? real_binary(o, real) : whole_binary(o, whole);
  });
}

OracleAnswer unary(const OracleCall& call, double operations, Point (*f)(long double)) {
  return answer([&] {
    const Operands o(call);
    o.same_shape("x", "out");
    const std::vector<double> x = o.doubles("x");
    RealTruth out = blank_truth(o.view("out").elements, operations);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Point point = f(x[i]);
      out.value[i] = static_cast<double>(point.value);
      out.scale[i] = std::isnan(point.scale) ? 0.0 : static_cast<double>(point.scale);
    }
    Outputs outputs;
    outputs["out"] = std::move(out);
    return outputs;
  });
}

OracleAnswer add(const OracleCall& call) {
  return binary(
      call, [](long double a, long double b) { return relative(a + b); }, [](Int128 a, Int128 b) { return a + b; });
}

OracleAnswer mul(const OracleCall& call) {
  return binary(
      call, [](long double a, long double b) { return relative(a * b); }, [](Int128 a, Int128 b) { return a * b; });
}

OracleAnswer relu(const OracleCall& call) {
  return unary(call, 1, [](long double x) { return relative(x < 0.0L ? 0.0L : x); });
}

OracleAnswer exponential(const OracleCall& call) {
  // A good exp is right to two units; argument reduction in the working precision costs |x| / 4 of them.
  return unary(call, 4, [](long double x) {
    const long double y = std::exp(x);
    return Point{y, y * std::max(1.0L, std::fabs(x) / 4)};
  });
}

OracleAnswer silu(const OracleCall& call) {
  return unary(call, 8, [](long double x) {
    const long double y = x == -INFINITY ? 0.0L : x / (1.0L + std::exp(-x));
    return Point{y, std::fabs(y) * std::max(1.0L, std::fabs(x) / 4)};
  });
}

/// Both forms of gelu add 1 to a number near -1 in their left tail: errors are measured against |x| there.
OracleAnswer gelu(const OracleCall& call) {
  return unary(call, 8, [](long double x) {
    if (std::isinf(x)) return relative(x < 0 ? 0.0L : x);
    return Point{0.5L * x * std::erfc(-x * 0.70710678118654752440L), std::fabs(x)};
  });
}

OracleAnswer gelu_tanh(const OracleCall& call) {
  return unary(call, 12, [](long double x) {
    if (std::isinf(x)) return relative(x < 0 ? 0.0L : x);
    constexpr long double kRootTwoOverPi = 0.79788456080286535588L;
    const long double inner = kRootTwoOverPi * (x + 0.044715L * x * x * x);
    return Point{0.5L * x * (1.0L + std::tanh(inner)), std::fabs(x)};
  });
}

Cost cost(const OracleCall& call) {
  return touch_once(call, elements_of(call, "out"));
}

struct Row {
  std::string_view id, summary;
  std::span<const OracleArg> args;
  OracleAnswer (*evaluate)(const OracleCall&);
  bool exact_sums = false;
};

constexpr std::array<Row, 7> kRows{{
    {"add", "out = a + b, element by element", kBinaryArgs, add, true},
    {"mul", "out = a b, element by element", kBinaryArgs, mul, true},
    {"relu", "out = max(x, 0), NaN kept", kUnaryArgs, relu},
    {"exp", "out = e^x", kUnaryArgs, exponential},
    {"silu", "out = x / (1 + e^-x)", kUnaryArgs, silu},
    {"gelu", "out = x times the normal distribution function of x", kUnaryArgs, gelu},
    {"gelu_tanh", "gelu by its tanh approximation", kUnaryArgs, gelu_tanh},
}};

const bool registered = [] {
  for (const Row& row : kRows) {
    Registry<Oracle>::add({row.id, row.summary, row.args, row.evaluate, cost, nullptr, row.exact_sums});
  }
  return true;
}();

}  // namespace
}  // namespace assay
