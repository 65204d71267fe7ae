#include <algorithm>
#include <array>

#include "reference/operands.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 2> kArgs{{{"x", OracleArgKind::input}, {"y", OracleArgKind::output}}};
constexpr std::array<OracleArg, 3> kLossArgs{
    {{"logits", OracleArgKind::input}, {"target", OracleArgKind::input}, {"loss", OracleArgKind::output}}};

/// Difference, exponential (a few units in the last place) and division come on top of the sum.
constexpr double kOperations = 8;

struct Row {
  const double* x;
  std::int64_t size;
  double max = -INFINITY;
  long double sum = 0.0L;  ///< of exp(x - max)
  double pull = 0.0;       ///< mean of |x - max| under the probabilities
};

/// NaN takes part in the sum, not in the maximum: either way the whole row is NaN.
Row reduce(const double* x, std::int64_t size, std::vector<long double>& powers) {
  Row row{x, size};
  for (std::int64_t i = 0; i < size; ++i) row.max = std::max(row.max, x[i]);
  long double pull = 0.0L;
  for (std::int64_t i = 0; i < size; ++i) {
    const long double distance = static_cast<long double>(x[i]) - row.max;
    const long double power = std::exp(distance);
    powers[static_cast<std::size_t>(i)] = power;
    row.sum += power;
    if (power > 0.0L) pull -= power * distance;
  }
  row.pull = static_cast<double>(pull / row.sum);
  return row;
}

/// x - max is rounded before exp sees it, so exp is off by |x - max| u, and so is the sum by its weighted mean. This
/// counts for one rounding, the rest for n: dividing by √n makes λ√n u scale cover both.
double condition(const Row& row, std::int64_t i, double n) {
  return 1.0 + (std::fabs(row.x[i] - row.max) + row.pull) / std::sqrt(n);
}

template <class Finish>
OracleAnswer over_rows(const OracleCall& call, Finish&& finish) {
  return answer([&] {
    const Operands o(call);
    o.rank("x", 1);
    o.same_shape("x", "y");
    const Rows rows = rows_of(o.view("x"));
    const std::vector<double> x = o.doubles("x");
    RealTruth y = blank_truth(o.view("x").elements, static_cast<double>(rows.size) + kOperations);
    std::vector<long double> powers(static_cast<std::size_t>(rows.size));
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const Row row = reduce(x.data() + r * rows.size, rows.size, powers);
      for (std::int64_t i = 0; i < rows.size; ++i)
        finish(row, i, powers[static_cast<std::size_t>(i)], r * rows.size + i, y);
    }
    Outputs outputs;
    outputs["y"] = std::move(y);
    return outputs;
  });
}

OracleAnswer softmax(const OracleCall& call) {
  return over_rows(call, [](const Row& row, std::int64_t i, long double power, std::int64_t index, RealTruth& y) {
    const auto at = static_cast<std::size_t>(index);
    y.value[at] = static_cast<double>(power / row.sum);
    y.scale[at] = y.value[at] > 0.0 ? y.value[at] * condition(row, i, y.n) : 0.0;
  });
}

/// log_softmax is off by roundings of x - max, of the logarithm, and of the sum relative to itself.
OracleAnswer log_softmax(const OracleCall& call) {
  return over_rows(call, [](const Row& row, std::int64_t i, long double, std::int64_t index, RealTruth& y) {
    const auto at = static_cast<std::size_t>(index);
    const long double log_sum = std::log(row.sum);
    y.value[at] = static_cast<double>((static_cast<long double>(row.x[i]) - row.max) - log_sum);
    y.scale[at] = 1.0 + static_cast<double>(log_sum) + std::fabs(row.x[i] - row.max) + row.pull;
  });
}

/// loss = log of the sum - (logit of the target - max), or the same with the maximum added before the target's logit is
/// taken off: roundings of these terms count for one each, those of the sum relative to itself.
void take_loss(const Row& row, std::int64_t target, std::size_t at, RealTruth& loss) {
  const double logit = row.x[target], distance = std::fabs(logit - row.max);
  const long double log_sum = std::log(row.sum);
  loss.value[at] = static_cast<double>(log_sum - (static_cast<long double>(logit) - row.max));
  const double once = static_cast<double>(log_sum) + distance + row.pull + std::fabs(row.max) + std::fabs(logit);
  loss.scale[at] = std::isfinite(once) ? 1.0 + once / std::sqrt(loss.n) : 0.0;
}

OracleAnswer cross_entropy(const OracleCall& call) {
  return answer([&] {
    const Operands o(call);
    o.rank("logits", 1);
    const Rows rows = rows_of(o.view("logits"));
    const std::vector<std::int64_t> target = o.integers("target");
    const auto count = static_cast<std::int64_t>(target.size());
    if (count != rows.count || o.view("loss").elements != rows.count) {
      throw Misfit{"logits " + shape_text(o.view("logits").shape) + " with target " +
                   shape_text(o.view("target").shape) + " does not give loss " + shape_text(o.view("loss").shape)};
    }
    const std::vector<double> logits = o.doubles("logits");
    RealTruth loss = blank_truth(rows.count, static_cast<double>(rows.size) + kOperations);
    std::vector<long double> powers(static_cast<std::size_t>(rows.size));
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const auto at = static_cast<std::size_t>(r);
      if (target[at] < 0 || target[at] >= rows.size) {
        throw Misfit{"outside the domain: target[" + std::to_string(r) + "] = " + std::to_string(target[at]) +
                     " is no column of logits"};
      }
      take_loss(reduce(logits.data() + r * rows.size, rows.size, powers), target[at], at, loss);
    }
    Outputs outputs;
    outputs["loss"] = std::move(loss);
    return outputs;
  });
}

Cost cost(const OracleCall& call) {
  return touch_once(call, 4.0 * elements_of(call, "x"));
}

Cost loss_cost(const OracleCall& call) {
  return touch_once(call, 3.0 * elements_of(call, "logits"));
}

const bool registered = Registry<Oracle>::add({"softmax", "softmax over the last axis", kArgs, softmax, cost});
const bool registered_log =
    Registry<Oracle>::add({"log_softmax", "logarithm of softmax over the last axis", kArgs, log_softmax, cost});
const bool registered_loss =
    Registry<Oracle>::add({"cross_entropy", "loss of each row: minus log_softmax of its logits at its target",
                           kLossArgs, cross_entropy, loss_cost});

}  // namespace
}  // namespace assay
