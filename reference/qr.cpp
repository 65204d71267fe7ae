#include <array>

#include "reference/matrices.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 4> kArgs{{{"a", OracleArgKind::input},
                                          {"q", OracleArgKind::output},
                                          {"r", OracleArgKind::output},
                                          {"positive", OracleArgKind::scalar, false, 0.0}}};

/// k reflections or rotations of vectors of m elements, each off by a scalar product and an update of these: errors of
/// mixed sign add up to about 2 λ √(m k) u of a column's norm (Higham, "Accuracy and Stability of Numerical
/// Algorithms", 2002, theorem 19.4; Connolly and Higham, "Probabilistic rounding error analysis of Householder QR
/// factorization", 2023). Norm, root, sum and quotient of each reflection count as four elements more, which matters
/// for the smallest matrices.
double roundings_of(const Matrices& a, const Matrices& q) {
  return 4.0 * (static_cast<double>(a.rows) + 4.0) * static_cast<double>(q.columns);
}

struct Shapes {
  Matrices a, q, r;
};

Shapes shapes_of(const Operands& o) {
  const Shapes s{matrices_of(o, "a"), matrices_of(o, "q"), matrices_of(o, "r")};
  const std::int64_t k = s.q.columns;
  const bool fits = s.q.rows == s.a.rows && s.r.rows == k && s.r.columns == s.a.columns && s.q.count == s.a.count &&
                    s.r.count == s.a.count && (k == std::min(s.a.rows, s.a.columns) || k == s.a.rows);
  if (!fits) {
    throw Misfit{"a " + shape_text(o.view("a").shape) + " does not give q " + shape_text(o.view("q").shape) +
                 " and r " + shape_text(o.view("r").shape)};
  }
  return s;
}

/// Each column of a - q r against the norm of that column of a.
void see_product(const MatrixView& a, const MatrixView& q, const MatrixView& r, std::int64_t first, Largest& largest) {
  for (std::int64_t j = 0; j < a.columns; ++j) {
    long double error = 0.0L, size = 0.0L;
    for (std::int64_t i = 0; i < a.rows; ++i) {
      long double rest = a.at(i, j);
      for (std::int64_t k = 0; k < q.columns; ++k) rest -= q.at(i, k) * r.at(k, j);
      error += rest * rest;
      size += a.at(i, j) * a.at(i, j);
    }
    largest.see(static_cast<std::size_t>(first + j), relative_to(std::sqrt(error), std::sqrt(size)));
  }
}

void see_triangle(const MatrixView& r, std::int64_t first, Broken& broken) {
  for (std::int64_t i = 0; i < r.rows; ++i) {
    for (std::int64_t j = 0; j < std::min(i, r.columns); ++j)
      broken.see(static_cast<std::size_t>(first + i * r.columns + j), r.at(i, j) == 0.0L);
  }
}

void see_diagonal(const MatrixView& r, std::int64_t first, Broken& broken) {
  for (std::int64_t i = 0; i < std::min(r.rows, r.columns); ++i)
    broken.see(static_cast<std::size_t>(first + i * r.columns + i), r.at(i, i) >= 0.0L);
}

PropertyAnswer examine(const OracleCall& call) {
  return properties([&] {
    const Operands o(call);
    const Shapes s = shapes_of(o);
    const std::vector<double> a = o.doubles("a"), q = o.doubles("q"), r = o.doubles("r");
    const double roundings = roundings_of(s.a, s.q);
    // Two vectors that are each off by so much: twice the error, four times the roundings.
    Largest product("r", "a = q r", roundings), unit("q", "the columns of q are orthonormal", 4.0 * roundings);
    Broken triangle("r", "r is upper triangular"), positive("r", "the diagonal of r is not negative");
    for (std::int64_t i = 0; i < s.a.count; ++i) {
      const MatrixView qi = matrix_at(q, s.q, i), ri = matrix_at(r, s.r, i);
      see_product(matrix_at(a, s.a, i), qi, ri, i * s.r.size(), product);
      see_orthonormal(qi, i * s.q.size(), unit);
      see_triangle(ri, i * s.r.size(), triangle);
      see_diagonal(ri, i * s.r.size(), positive);
    }
    std::vector<Property> found{product.property(), unit.property(), triangle.property()};
    if (o.flag("positive")) found.push_back(positive.property());
    return found;
  });
}

/// 2 k^2 (max - k / 3) operations for r alone, as LAPACK counts.
Cost cost(const OracleCall& call) {
  const auto a = call.tensors.find("a");
  if (a == call.tensors.end() || a->second.shape.size() < 2) return touch_once(call, 0.0);
  const auto m = static_cast<double>(a->second.shape[a->second.shape.size() - 2]);
  const auto n = static_cast<double>(a->second.shape.back());
  const double k = std::min(m, n), count = m * n > 0.0 ? static_cast<double>(a->second.elements) / (m * n) : 0.0;
  return touch_once(call, count * 2.0 * k * k * (std::max(m, n) - k / 3.0));
}

const bool registered = Registry<Oracle>::add(
    {"qr",
     "a = q r with orthonormal columns of q and upper triangular r, full or reduced; positive = 1: no negative "
     "diagonal (property)",
     kArgs, nullptr, cost, examine});

}  // namespace
}  // namespace assay
