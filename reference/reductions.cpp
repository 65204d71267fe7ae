#include <algorithm>
#include <array>
#include <cstring>

#include "numerics/float_formats.h"
#include "numerics/generator.h"
#include "reference/operands.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 3> kArgs{{
    {"x", OracleArgKind::input},
    {"y", OracleArgKind::output},
    {"axis", OracleArgKind::scalar, false, -1.0},
}};

/// x seen as outer x extent x inner, reduced over extent.
struct Plan {
  std::int64_t outer = 1, extent = 1, inner = 1;
  std::int64_t at(std::int64_t o, std::int64_t e, std::int64_t i) const { return (o * extent + e) * inner + i; }
};

/// Over `axis`, or over everything where y has one element although the other axes don't vanish.
Plan plan_of(const Operands& o) {
  const ConstTensorView &x = o.view("x"), &y = o.view("y");
  const auto rank = static_cast<std::int64_t>(x.shape.size());
  std::int64_t axis = o.whole("axis", -1.0);
  if (axis < 0) axis += rank;
  Plan plan;
  if (rank > 0 && axis >= 0 && axis < rank) {
    plan.extent = x.shape[static_cast<std::size_t>(axis)];
    for (std::int64_t d = 0; d < axis; ++d) plan.outer *= x.shape[static_cast<std::size_t>(d)];
    for (std::int64_t d = axis + 1; d < rank; ++d) plan.inner *= x.shape[static_cast<std::size_t>(d)];
    if (plan.outer * plan.inner == y.elements) return plan;
  }
  if (y.elements == 1) return {1, x.elements, 1};
  throw Misfit{"x " + shape_text(x.shape) + " reduced over axis " + std::to_string(o.whole("axis", -1.0)) +
               " does not give y " + shape_text(y.shape)};
}

template <class F>
void each_output(const Plan& plan, F&& f) {
  for (std::int64_t o = 0; o < plan.outer; ++o) {
    for (std::int64_t i = 0; i < plan.inner; ++i) f(static_cast<std::size_t>(o * plan.inner + i), o, i);
  }
}

RealTruth sum_of_reals(const std::vector<double>& x, const Plan& plan, bool mean) {
  const double n = static_cast<double>(plan.extent);
  RealTruth y = blank_truth(plan.outer * plan.inner, mean ? n + 1 : n);
  each_output(plan, [&](std::size_t at, std::int64_t o, std::int64_t i) {
    TwiceSum sum, size;
    for (std::int64_t e = 0; e < plan.extent; ++e) {
      const double value = x[static_cast<std::size_t>(plan.at(o, e, i))];
      sum.add(value);
      size.add(std::fabs(value));
    }
    y.value[at] = mean ? static_cast<double>(sum.wide() / n) : sum.value();
    y.scale[at] = mean ? size.value() / n : size.value();
  });
  return y;
}

ExactTruth sum_of_integers(const Operands& o, const Plan& plan) {
  const std::vector<std::int64_t> x = o.integers("x");
  std::vector<Int128> sums(static_cast<std::size_t>(plan.outer * plan.inner), 0);
  each_output(plan, [&](std::size_t at, std::int64_t outer, std::int64_t i) {
    for (std::int64_t e = 0; e < plan.extent; ++e) sums[at] += x[static_cast<std::size_t>(plan.at(outer, e, i))];
  });
  return integer_truth(o.view("y"), sums, "y");
}

Outputs only_y(Truth truth) {
  Outputs outputs;
  outputs["y"] = std::move(truth);
  return outputs;
}

OracleAnswer reduce_sum(const OracleCall& call) {
  return answer([&] {
    const Operands o(call);
    const Plan plan = plan_of(o);
    if (!is_floating(o.view("x").dtype)) return only_y(sum_of_integers(o, plan));
    return only_y(sum_of_reals(o.doubles("x"), plan, false));
  });
}

OracleAnswer mean(const OracleCall& call) {
  return answer([&] {
    const Operands o(call);
    return only_y(sum_of_reals(o.doubles("x"), plan_of(o), true));  // of nothing: NaN
  });
}

/// The bits of an element of x: NaN where there is one, else the largest; the first of equals.
OracleAnswer reduce_max(const OracleCall& call) {
  return answer([&] {
    const Operands o(call);
    const Plan plan = plan_of(o);
    const ConstTensorView& from = o.view("x");
    if (from.dtype != o.view("y").dtype) throw Misfit{"x and y of a maximum have one element type"};
    if (plan.extent == 0 && plan.outer * plan.inner > 0)
      throw Misfit{"nothing has no maximum: " + shape_text(from.shape)};
    const std::vector<double> x = o.doubles("x");
    const auto size = static_cast<std::size_t>(info(from.dtype).bytes);
    std::vector<std::byte> packed(static_cast<std::size_t>(from.elements) * size);
    gather(from, packed.data());
    ExactTruth y;
    y.bytes.resize(static_cast<std::size_t>(plan.outer * plan.inner) * size);
    each_output(plan, [&](std::size_t at, std::int64_t outer, std::int64_t i) {
      auto best = static_cast<std::size_t>(plan.at(outer, 0, i));
      for (std::int64_t e = 1; e < plan.extent; ++e) {
        const auto next = static_cast<std::size_t>(plan.at(outer, e, i));
        if (!std::isnan(x[best]) && !(x[next] <= x[best])) best = next;
      }
      std::memcpy(y.bytes.data() + at * size, packed.data() + best * size, size);
    });
    return only_y(std::move(y));
  });
}

Cost cost(const OracleCall& call) {
  return touch_once(call, elements_of(call, "x"));
}

const bool registered_sum =
    Registry<Oracle>::add({"reduce_sum", "sum over an axis, or over everything where y has one element", kArgs,
                           reduce_sum, cost, nullptr, true});
const bool registered_mean =
    Registry<Oracle>::add({"mean", "mean over an axis, or over everything where y has one element", kArgs, mean, cost});
const bool registered_max = Registry<Oracle>::add(
    {"reduce_max", "maximum over an axis, or over everything; NaN wins", kArgs, reduce_max, cost});

}  // namespace
}  // namespace assay
