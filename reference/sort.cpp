#include <algorithm>
#include <array>
#include <numeric>

#include "reference/measures.h"
#include "reference/operands.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 3> kSortArgs{
    {{"x", OracleArgKind::input}, {"y", OracleArgKind::output}, {"descending", OracleArgKind::scalar, false, 0.0}}};
constexpr std::array<OracleArg, 3> kArgsortArgs{{{"x", OracleArgKind::input},
                                                 {"indices", OracleArgKind::output},
                                                 {"descending", OracleArgKind::scalar, false, 0.0}}};
constexpr std::array<OracleArg, 5> kTopKArgs{{{"x", OracleArgKind::input},
                                              {"values", OracleArgKind::output, false},
                                              {"indices", OracleArgKind::output, false},
                                              {"largest", OracleArgKind::scalar, false, 1.0},
                                              {"sorted", OracleArgKind::scalar, false, 1.0}}};

/// NaN counts as the largest number unless `oracle.options` says otherwise; ties go in any order or by index.
struct Order {
  bool descending = false, nan_first = false, nan_undefined = false, by_index = false;
  bool before(long double a, long double b) const {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) != std::isnan(b) && std::isnan(a) == nan_first;
    return descending ? a > b : a < b;
  }
  bool equal(long double a, long double b) const { return !before(a, b) && !before(b, a); }
};

Order order_of(const Operands& o, bool descending) {
  const std::string nan = o.option("nan", descending ? "first" : "last"), ties = o.option("ties", "any");
  if (nan != "first" && nan != "last" && nan != "undefined")
    throw Misfit{"options.nan is '" + nan + "'; it must be first, last or undefined"};
  if (ties != "any" && ties != "lowest-index")
    throw Misfit{"options.ties is '" + ties + "'; it must be any or lowest-index"};
  return {descending, nan == "first", nan == "undefined", ties == "lowest-index"};
}

/// One row of x and of an output.
struct Line {
  std::span<const long double> x;
  std::size_t first_x = 0, first_out = 0, size = 0;  ///< of the output
};

/// Calls f for every row that is judged. Outputs have the rows of x and any one length.
template <class F>
void each_line(const Operands& o, const std::vector<long double>& x, std::string_view output, const Order& order,
               F&& f) {
  o.rank("x", 1);
  o.rank(output, 1);
  const auto from = o.view("x").shape, to = o.view(output).shape;
  const bool fits = from.size() == to.size() && std::equal(from.begin(), from.end() - 1, to.begin());
  const std::int64_t n = from.back(), k = to.back();
  if (!fits || k > n)
    throw Misfit{"x " + shape_text(from) + " does not give " + std::string(output) + " " + shape_text(to)};
  const std::int64_t rows = n == 0 ? 0 : o.view("x").elements / n;
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto first = static_cast<std::size_t>(r * n);
    const Line line{std::span(x).subspan(first, static_cast<std::size_t>(n)), first, static_cast<std::size_t>(r * k),
                    static_cast<std::size_t>(k)};
    const auto nan = [](long double each) { return std::isnan(each); };
    if (!order.nan_undefined || std::none_of(line.x.begin(), line.x.end(), nan)) f(line);
  }
}

void same_type(const Operands& o, std::string_view a, std::string_view b) {
  if (o.view(a).dtype != o.view(b).dtype)
    throw Misfit{std::string(a) + " and " + std::string(b) + " have one element type"};
}

/// Elements of a row of y that no element of x is left for, by bits.
void match(const Line& line, const std::vector<std::uint64_t>& x, const std::vector<std::uint64_t>& y, Broken& count) {
  const auto begin = x.begin() + static_cast<std::ptrdiff_t>(line.first_x);
  std::vector<std::uint64_t> left(begin, begin + static_cast<std::ptrdiff_t>(line.x.size()));
  std::sort(left.begin(), left.end());
  std::vector<std::size_t> places(line.size);
  std::iota(places.begin(), places.end(), line.first_out);
  std::sort(places.begin(), places.end(),
            [&](std::size_t a, std::size_t b) { return std::pair(y[a], a) < std::pair(y[b], b); });
  auto next = left.begin();
  for (const std::size_t place : places) {
    while (next != left.end() && *next < y[place]) ++next;
    const bool found = next != left.end() && *next == y[place];
    if (found) ++next;
    count.see(place, found);
  }
}

PropertyAnswer sort(const OracleCall& call) {
  return properties([&] {
    const Operands o(call);
    o.same_shape("x", "y");
    same_type(o, "x", "y");
    const Order order = order_of(o, o.flag("descending"));
    const std::vector<long double> x = o.exact("x"), y = o.exact("y");
    const std::vector<std::uint64_t> from = o.bits("x"), to = o.bits("y");
    Broken ordered("y", "each row of y is in order"), same("y", "each row of y holds the elements of that of x");
    each_line(o, x, "y", order, [&](const Line& line) {
      for (std::size_t i = 0; i < line.size; ++i) {
        const std::size_t at = line.first_out + i;
        ordered.see(at, i == 0 || !order.before(y[at], y[at - 1]));
      }
      match(line, from, to, same);
    });
    return std::vector{ordered.property(), same.property()};
  });
}

/// What a subject left as indices; none of them is a reason to answer in words.
std::vector<std::int64_t> indices_of(const Operands& o) {
  if (is_floating(o.view("indices").dtype)) throw Misfit{"the argument indices must hold integers"};
  const long double end = static_cast<long double>(o.view("x").elements);
  std::vector<std::int64_t> indices;
  for (const long double each : o.exact("indices"))
    indices.push_back(each >= 0.0L && each < end ? static_cast<std::int64_t>(each) : -1);
  return indices;
}

/// Indices of one row that are in range and come for the first time.
std::vector<bool> usable(const Line& line, const std::vector<std::int64_t>& indices, Broken& count) {
  std::vector<bool> taken(line.x.size(), false), good(line.size, false);
  for (std::size_t i = 0; i < line.size; ++i) {
    const std::int64_t index = indices[line.first_out + i];
    good[i] = index >= 0 && index < static_cast<std::int64_t>(line.x.size()) && !taken[static_cast<std::size_t>(index)];
    if (good[i]) taken[static_cast<std::size_t>(index)] = true;
    count.see(line.first_out + i, good[i]);
  }
  return good;
}

/// Whether an element may come right behind another.
bool may_follow(const Order& order, const Line& line, std::int64_t before, std::int64_t after) {
  const long double a = line.x[static_cast<std::size_t>(before)], b = line.x[static_cast<std::size_t>(after)];
  return !order.before(b, a) && !(order.by_index && order.equal(a, b) && after < before);
}

const char* order_claim(const Order& order) {
  return order.by_index ? "x at the indices is in order, ties by index" : "x at the indices is in order";
}

/// Neighbours in order; indices that are no indices are another property's business.
void see_order(const Order& order, const Line& line, const std::vector<std::int64_t>& indices,
               const std::vector<bool>& good, Broken& count) {
  for (std::size_t i = 0; i < line.size; ++i) {
    const std::size_t at = line.first_out + i;
    const bool both = i > 0 && good[i] && good[i - 1];
    count.see(at, !both || may_follow(order, line, indices[at - 1], indices[at]));
  }
}

PropertyAnswer argsort(const OracleCall& call) {
  return properties([&] {
    const Operands o(call);
    o.same_shape("x", "indices");
    const Order order = order_of(o, o.flag("descending"));
    const std::vector<long double> x = o.exact("x");
    const std::vector<std::int64_t> indices = indices_of(o);
    Broken distinct("indices", "indices are distinct and in range"), ordered("indices", order_claim(order));
    each_line(o, x, "indices", order,
              [&](const Line& line) { see_order(order, line, indices, usable(line, indices, distinct), ordered); });
    return std::vector{distinct.property(), ordered.property()};
  });
}

/// The k best of a row, best first, ties by index.
std::vector<std::size_t> best_of(const Line& line, const Order& order) {
  std::vector<std::size_t> best(line.x.size());
  std::iota(best.begin(), best.end(), 0);
  std::stable_sort(best.begin(), best.end(),
                   [&](std::size_t a, std::size_t b) { return order.before(line.x[a], line.x[b]); });
  best.resize(line.size);
  return best;
}

/// What was picked from a row, best first, is as good as the best: rank by rank neither is before the other.
void see_best(const Order& order, const Line& line, std::vector<std::pair<long double, std::size_t>> picked,
              Broken& count) {
  const std::vector<std::size_t> best = best_of(line, order);
  std::stable_sort(picked.begin(), picked.end(),
                   [&](const auto& a, const auto& b) { return order.before(a.first, b.first); });
  for (std::size_t i = 0; i < picked.size(); ++i)
    count.see(picked[i].second, order.equal(picked[i].first, line.x[best[i]]));
}

std::vector<Property> top_values(const Operands& o, const Order& order, const std::vector<long double>& x) {
  same_type(o, "x", "values");
  const std::vector<long double> values = o.exact("values");
  const std::vector<std::uint64_t> from = o.bits("x"), to = o.bits("values");
  Broken best("values", "values are the best of their row"), ordered("values", "values are in order"),
      taken("values", "values are elements of their row");
  each_line(o, x, "values", order, [&](const Line& line) {
    std::vector<std::pair<long double, std::size_t>> picked;
    for (std::size_t at = line.first_out; at < line.first_out + line.size; ++at) {
      picked.emplace_back(values[at], at);
      ordered.see(at, at == line.first_out || !order.before(values[at], values[at - 1]));
    }
    see_best(order, line, std::move(picked), best);
    match(line, from, to, taken);
  });
  std::vector<Property> found{best.property(), taken.property()};
  if (o.scalar("sorted", 1.0) != 0.0) found.push_back(ordered.property());
  return found;
}

std::vector<Property> top_indices(const Operands& o, const Order& order, const std::vector<long double>& x) {
  const std::vector<std::int64_t> indices = indices_of(o);
  const bool sorted = o.scalar("sorted", 1.0) != 0.0, paired = o.has("values");
  if (paired) o.same_shape("indices", "values");
  const std::vector<std::uint64_t> from = o.bits("x"),
                                   values = paired ? o.bits("values") : std::vector<std::uint64_t>();
  Broken distinct("indices", "indices are distinct and in range"), ordered("indices", order_claim(order)),
      best("indices", "x at the indices is the best of its row"), same("values", "values are x at the indices"),
      lowest("indices", "of equal elements the first are taken");
  each_line(o, x, "indices", order, [&](const Line& line) {
    const std::vector<bool> good = usable(line, indices, distinct);
    see_order(order, line, indices, good, ordered);
    std::vector<std::pair<long double, std::size_t>> picked;
    const std::vector<std::size_t> first = best_of(line, order);
    for (std::size_t i = 0; i < line.size; ++i) {
      const std::size_t at = line.first_out + i;
      if (!good[i]) continue;
      const auto index = static_cast<std::size_t>(indices[at]);
      picked.emplace_back(line.x[index], at);
      if (paired) same.see(at, from[line.first_x + index] == values[at]);
      lowest.see(at, std::find(first.begin(), first.end(), index) != first.end());
    }
    if (picked.size() == line.size) see_best(order, line, std::move(picked), best);
  });
  std::vector<Property> found{distinct.property(), best.property()};
  if (paired) found.push_back(same.property());
  if (sorted) found.push_back(ordered.property());
  if (order.by_index) found.push_back(lowest.property());
  return found;
}

PropertyAnswer top_k(const OracleCall& call) {
  return properties([&] {
    const Operands o(call);
    if (!o.has("values") && !o.has("indices")) throw Misfit{"bind values, indices or both"};
    const Order order = order_of(o, o.scalar("largest", 1.0) != 0.0);
    const std::vector<long double> x = o.exact("x");
    std::vector<Property> found;
    if (o.has("values")) found = top_values(o, order, x);
    if (!o.has("indices")) return found;
    for (Property& each : top_indices(o, order, x)) found.push_back(std::move(each));
    return found;
  });
}

/// At least one comparison per element.
Cost cost(const OracleCall& call) {
  return touch_once(call, elements_of(call, "x"));
}

const bool registered = Registry<Oracle>::add(
    {"sort", "each row of y holds the elements of x in order (property)", kSortArgs, nullptr, cost, sort});
const bool registered_argsort = Registry<Oracle>::add(
    {"argsort", "each row of indices brings its row of x in order (property)", kArgsortArgs, nullptr, cost, argsort});
const bool registered_top_k = Registry<Oracle>::add(
    {"top_k", "the k best of each row and where they lie (property)", kTopKArgs, nullptr, cost, top_k});

}  // namespace
}  // namespace assay
