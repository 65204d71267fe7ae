#include <algorithm>
#include <array>

#include "reference/operands.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 6> kGemvArgs{{
    {"a", OracleArgKind::input},
    {"x", OracleArgKind::input},
    {"y", OracleArgKind::inout},
    {"alpha", OracleArgKind::scalar, false, 1.0},
    {"beta", OracleArgKind::scalar, false, 0.0},
    {"trans_a", OracleArgKind::scalar, false, 0.0},
}};
constexpr std::array<OracleArg, 3> kDotArgs{
    {{"x", OracleArgKind::input}, {"y", OracleArgKind::input}, {"out", OracleArgKind::output}}};
constexpr std::array<OracleArg, 3> kAxpyArgs{
    {{"x", OracleArgKind::input}, {"y", OracleArgKind::inout}, {"alpha", OracleArgKind::scalar, false, 1.0}}};

/// Σ aᵢ bᵢ in twice the precision of double, with Σ |aᵢ bᵢ|; steps between elements as given.
struct Product {
  double value = 0.0, size = 0.0;
};

Product product(const double* a, std::int64_t step, const double* b, std::int64_t n) {
  TwiceSum sum;
  double size = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    sum.add_product(a[i * step], b[i]);
    size += std::fabs(a[i * step] * b[i]);
  }
  return {sum.value(), size};
}

Outputs only(const char* name, RealTruth truth) {
  Outputs outputs;
  outputs[name] = std::move(truth);
  return outputs;
}

/// y = alpha op(a) x + beta y; y is not read where beta = 0.
OracleAnswer gemv(const OracleCall& call) {
  return answer([&] {
    const Operands o(call);
    const auto shape = o.view("a").shape;
    const bool transposed = o.flag("trans_a");
    if (shape.size() != 2) throw Misfit{"a is " + shape_text(shape) + " but a matrix has 2 axes"};
    const std::int64_t rows = shape[transposed ? 1 : 0], n = shape[transposed ? 0 : 1];
    if (o.view("x").elements != n || o.view("y").elements != rows) {
      throw Misfit{"a " + shape_text(shape) + " times x " + shape_text(o.view("x").shape) + " does not give y " +
                   shape_text(o.view("y").shape)};
    }
    const double alpha = o.scalar("alpha", 1.0), beta = o.scalar("beta", 0.0);
    const std::vector<double> a = o.doubles("a"), x = o.doubles("x");
    const std::vector<double> old =
        beta != 0.0 ? o.doubles("y") : std::vector<double>(static_cast<std::size_t>(rows), 0.0);
    RealTruth y = blank_truth(rows, static_cast<double>(n) + (alpha != 1.0 ? 1 : 0) + (beta != 0.0 ? 2 : 0));
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Product p = product(a.data() + (transposed ? i : i * n), transposed ? rows : 1, x.data(), n);
      TwiceSum sum;
      sum.add_product(alpha, p.value);
      if (beta != 0.0) sum.add_product(beta, old[at]);
      y.value[at] = sum.value();
      y.scale[at] = std::fabs(alpha) * p.size + (beta != 0.0 ? std::fabs(beta * old[at]) : 0.0);
    }
    return only("y", std::move(y));
  });
}

OracleAnswer dot(const OracleCall& call) {
  return answer([&] {
    const Operands o(call);
    o.same_shape("x", "y");
    if (o.view("out").elements != 1)
      throw Misfit{"out is " + shape_text(o.view("out").shape) + " but a dot product is one number"};
    const std::vector<double> x = o.doubles("x"), y = o.doubles("y");
    const Product p = product(x.data(), 1, y.data(), static_cast<std::int64_t>(x.size()));
    return only("out", RealTruth{{p.value}, {p.size}, std::max(1.0, static_cast<double>(x.size()))});
  });
}

OracleAnswer axpy(const OracleCall& call) {
  return answer([&] {
    const Operands o(call);
    o.same_shape("x", "y");
    const double alpha = o.scalar("alpha", 1.0);
    const std::vector<double> x = o.doubles("x"), old = o.doubles("y");
    RealTruth y = blank_truth(o.view("y").elements, 2.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      TwiceSum sum;
      sum.add_product(alpha, x[i]);
      sum.add(old[i]);
      y.value[i] = sum.value();
      y.scale[i] = std::fabs(alpha * x[i]) + std::fabs(old[i]);
    }
    return only("y", std::move(y));
  });
}

Cost gemv_cost(const OracleCall& call) {
  return touch_once(call, 2.0 * elements_of(call, "a"));
}
Cost vector_cost(const OracleCall& call) {
  return touch_once(call, 2.0 * elements_of(call, "x"));
}

const bool registered_gemv = Registry<Oracle>::add(
    {"gemv", "y = alpha op(a) x + beta y; beta = 0 does not read y", kGemvArgs, gemv, gemv_cost, nullptr, true});
const bool registered_dot =
    Registry<Oracle>::add({"dot", "out = sum of x y", kDotArgs, dot, vector_cost, nullptr, true});
const bool registered_axpy =
    Registry<Oracle>::add({"axpy", "y = alpha x + y", kAxpyArgs, axpy, vector_cost, nullptr, true});

}  // namespace
}  // namespace assay
