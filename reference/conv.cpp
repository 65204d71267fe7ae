#include <array>

#include "reference/operands.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 8> kArgs{{
    {"x", OracleArgKind::input},
    {"weight", OracleArgKind::input},
    {"bias", OracleArgKind::input, false},
    {"y", OracleArgKind::output},
    {"stride", OracleArgKind::scalar, false, 1.0},
    {"padding", OracleArgKind::scalar, false, 0.0},
    {"dilation", OracleArgKind::scalar, false, 1.0},
    {"groups", OracleArgKind::scalar, false, 1.0},
}};

/// One spatial axis.
struct Axis {
  std::int64_t in = 1, kernel = 1, out = 1, stride = 1, padding = 0, dilation = 1;
  /// Where element k of the kernel meets x for output o; outside of x there are zeros.
  std::int64_t at(std::int64_t o, std::int64_t k) const { return o * stride - padding + k * dilation; }
  bool inside(std::int64_t i) const { return i >= 0 && i < in; }
};

/// In one dimension the axis of rows is 1 long.
struct Sizes {
  std::int64_t batch = 0, in = 0, out = 0, groups = 1, in_of_group = 0, out_of_group = 0;
  Axis rows, columns;
};

Axis axis_of(const Operands& o, std::size_t from_last) {
  const auto extent = [&](std::string_view name) {
    const auto shape = o.view(name).shape;
    return shape[shape.size() - 1 - from_last];
  };
  Axis axis{extent("x"),          extent("weight"),      extent("y"),
            o.whole("stride", 1), o.whole("padding", 0), o.whole("dilation", 1)};
  if (axis.stride < 1 || axis.dilation < 1 || axis.padding < 0)
    throw Misfit{"stride and dilation must be at least 1, padding at least 0"};
  const std::int64_t reach = axis.in + 2 * axis.padding - axis.dilation * (axis.kernel - 1) - 1;
  const std::int64_t wanted = reach < 0 ? 0 : reach / axis.stride + 1;
  if (wanted == axis.out) return axis;
  throw Misfit{"x " + shape_text(o.view("x").shape) + " and weight " + shape_text(o.view("weight").shape) + " give " +
               std::to_string(wanted) + " elements along an axis, but y is " + shape_text(o.view("y").shape)};
}

Sizes sizes_of(const Operands& o, std::size_t dimensions) {
  for (const char* name : {"x", "weight", "y"}) {
    if (o.view(name).shape.size() != dimensions + 2)
      throw Misfit{std::string(name) + " is " + shape_text(o.view(name).shape) + " but needs " +
                   std::to_string(dimensions + 2) + " axes"};
  }
  const auto x = o.view("x").shape, w = o.view("weight").shape, y = o.view("y").shape;
  Sizes s{x[0], x[1], y[1], o.whole("groups", 1), 0, 0, {}, axis_of(o, 0)};
  if (dimensions == 2) s.rows = axis_of(o, 1);
  const bool grouped = s.groups >= 1 && s.in % s.groups == 0 && s.out % s.groups == 0;
  const bool fits = grouped && y[0] == x[0] && w[0] == s.out && w[1] == s.in / s.groups &&
                    (!o.has("bias") || o.view("bias").elements == s.out);
  if (!fits) {
    throw Misfit{"x " + shape_text(x) + " and weight " + shape_text(w) + " with " + std::to_string(s.groups) +
                 " groups do not give y " + shape_text(y)};
  }
  s.in_of_group = s.in / s.groups;
  s.out_of_group = s.out / s.groups;
  return s;
}

/// Calls f(index into x, index into weight) for every product of one output element.
template <class F>
void each_product(const Sizes& s, std::int64_t image, std::int64_t channel, std::int64_t row, std::int64_t column,
                  F&& f) {
  const std::int64_t first = channel / s.out_of_group * s.in_of_group;
  for (std::int64_t c = 0; c < s.in_of_group; ++c) {
    for (std::int64_t i = 0; i < s.rows.kernel; ++i) {
      const std::int64_t r = s.rows.at(row, i);
      for (std::int64_t j = 0; s.rows.inside(r) && j < s.columns.kernel; ++j) {
        const std::int64_t at = s.columns.at(column, j);
        if (!s.columns.inside(at)) continue;
        f(static_cast<std::size_t>(((image * s.in + first + c) * s.rows.in + r) * s.columns.in + at),
          static_cast<std::size_t>(((channel * s.in_of_group + c) * s.rows.kernel + i) * s.columns.kernel + j));
      }
    }
  }
}

OracleAnswer evaluate(const OracleCall& call, std::size_t dimensions) {
  return answer([&] {
    const Operands o(call);
    const Sizes s = sizes_of(o, dimensions);
    const std::vector<double> x = o.doubles("x"), weight = o.doubles("weight"),
                              bias = o.has("bias") ? o.doubles("bias") : std::vector<double>();
    const std::int64_t terms = s.in_of_group * s.rows.kernel * s.columns.kernel, pixels = s.rows.out * s.columns.out;
    RealTruth y = blank_truth(o.view("y").elements, static_cast<double>(terms) + (bias.empty() ? 0.0 : 1.0));
    y.matrix_unit = true;
    const std::int64_t elements = pixels > 0 && s.out > 0 ? o.view("y").elements : 0;
    for (std::int64_t i = 0; i < elements; ++i) {
      const std::int64_t channel = i / pixels % s.out, pixel = i % pixels;
      const auto at = static_cast<std::size_t>(i);
      TwiceSum sum;
      each_product(s, i / pixels / s.out, channel, pixel / s.columns.out, pixel % s.columns.out,
                   [&](std::size_t from, std::size_t by) {
                     sum.add_product(x[from], weight[by]);
                     y.scale[at] += std::fabs(x[from] * weight[by]);
                   });
      if (!bias.empty()) {
        sum.add(bias[static_cast<std::size_t>(channel)]);
        y.scale[at] += std::fabs(bias[static_cast<std::size_t>(channel)]);
      }
      y.value[at] = sum.value();
    }
    Outputs outputs;
    outputs["y"] = std::move(y);
    return outputs;
  });
}

OracleAnswer conv1d(const OracleCall& call) {
  return evaluate(call, 1);
}
OracleAnswer conv2d(const OracleCall& call) {
  return evaluate(call, 2);
}

/// Products with padding are counted as work, which a clever kernel leaves out: bytes alone are sure.
Cost cost(const OracleCall& call) {
  return touch_once(call, 0.0);
}

const bool registered_1d = Registry<Oracle>::add(
    {"conv1d",
     "y = x * weight + bias; x [batch, channels, length], weight [channels of y, channels of a group, length]", kArgs,
     conv1d, cost});
const bool registered_2d = Registry<Oracle>::add(
    {"conv2d", "the same in two dimensions, with one stride, padding and dilation for both", kArgs, conv2d, cost});

}  // namespace
}  // namespace assay
