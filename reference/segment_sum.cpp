#include <algorithm>
#include <array>

#include "reference/operands.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 3> kArgs{{
    {"x", OracleArgKind::input},
    {"offsets", OracleArgKind::input},
    {"y", OracleArgKind::output},
}};

struct Segments {
  std::vector<std::int64_t> offsets;
  std::int64_t count = 0, row = 1, longest = 0;
};

Segments segments_of(const Operands& o) {
  o.rank("x", 1);
  o.rank("y", 1);
  const ConstTensorView &x = o.view("x"), &y = o.view("y");
  Segments s{o.integers("offsets"), y.shape[0]};
  const auto rest = [](const ConstTensorView& v) { return v.shape.subspan(1); };
  const bool rows_fit = std::equal(rest(x).begin(), rest(x).end(), rest(y).begin(), rest(y).end());
  if (!rows_fit || static_cast<std::int64_t>(s.offsets.size()) != s.count + 1) {
    throw Misfit{"x " + shape_text(x.shape) + " with offsets " + shape_text(o.view("offsets").shape) +
                 " does not give y " + shape_text(y.shape) + "; offsets need one element more than y has rows"};
  }
  for (const std::int64_t extent : rest(x)) s.row *= extent;
  for (std::size_t i = 0; i < s.offsets.size(); ++i) {
    if (s.offsets[i] < 0 || s.offsets[i] > x.shape[0] || (i > 0 && s.offsets[i] < s.offsets[i - 1])) {
      throw Misfit{"offsets[" + std::to_string(i) + "] = " + std::to_string(s.offsets[i]) +
                   " is below its neighbour or outside x"};
    }
    if (i > 0) s.longest = std::max(s.longest, s.offsets[i] - s.offsets[i - 1]);
  }
  return s;
}

/// Calls f(output index, index into x) for every element that is added.
template <class F>
void each_term(const Segments& s, F&& f) {
  for (std::int64_t segment = 0; segment < s.count; ++segment) {
    const auto at = static_cast<std::size_t>(segment);
    for (std::int64_t r = s.offsets[at]; r < s.offsets[at + 1]; ++r) {
      for (std::int64_t d = 0; d < s.row; ++d)
        f(static_cast<std::size_t>(segment * s.row + d), static_cast<std::size_t>(r * s.row + d));
    }
  }
}

OracleAnswer evaluate(const OracleCall& call) {
  return answer([&] {
    const Operands o(call);
    const Segments s = segments_of(o);
    const auto size = static_cast<std::size_t>(s.count * s.row);
    Outputs outputs;
    if (!is_floating(o.view("x").dtype)) {
      const std::vector<std::int64_t> x = o.integers("x");
      std::vector<Int128> sums(size, 0);
      each_term(s, [&](std::size_t to, std::size_t from) { sums[to] += x[from]; });
      outputs["y"] = integer_truth(o.view("y"), sums, "y");
      return outputs;
    }
    const std::vector<double> x = o.doubles("x");
    std::vector<TwiceSum> sums(size);
    RealTruth y = blank_truth(s.count * s.row, static_cast<double>(s.longest));
    each_term(s, [&](std::size_t to, std::size_t from) {
      sums[to].add(x[from]);
      y.scale[to] += std::fabs(x[from]);
    });
    for (std::size_t i = 0; i < size; ++i) y.value[i] = sums[i].value();
    outputs["y"] = std::move(y);
    return outputs;
  });
}

Cost cost(const OracleCall& call) {
  return touch_once(call, elements_of(call, "x"));
}

const bool registered = Registry<Oracle>::add(
    {"segment_sum", "y[s] = sum of the rows offsets[s] ... offsets[s+1]-1 of x", kArgs, evaluate, cost, nullptr, true});

}  // namespace
}  // namespace assay
