#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "reference/matrices.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 3> kArgs{
    {{"a", OracleArgKind::input}, {"w", OracleArgKind::output}, {"v", OracleArgKind::output}}};

/// In the norm that adds up all elements, each of k transformations leaves about u ‖a‖, whatever the size of a: errors
/// of mixed sign add up to λ √k u ‖a‖ (Connolly and Higham, "Probabilistic rounding error analysis of Householder QR
/// factorization", 2023, for one side). The ways that are in use differ in k: n reflections from two sides and 2 n
/// rotations of an iteration, or Jacobi's, 2 n of which meet each element in a sweep, in up to eight sweeps: 16 n.
/// Norms, roots and quotients count as four rows more, as in a QR factorisation.
double roundings_of(const Matrices& a) {
  return 16.0 * (static_cast<double>(a.rows) + 4.0);
}

long double norm_of(const MatrixView& a) {
  long double squares = 0.0L;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < a.columns; ++j) squares += a.at(i, j) * a.at(i, j);
  }
  return std::sqrt(squares);
}

/// The squared length of a v_j - w_j v_j.
long double error_of(const MatrixView& a, double w, const MatrixView& v, std::int64_t j) {
  long double squares = 0.0L;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    long double rest = -static_cast<long double>(w) * v.at(i, j);
    for (std::int64_t k = 0; k < a.columns; ++k) rest += a.at(i, k) * v.at(k, j);
    squares += rest * rest;
  }
  return squares;
}

/// All pairs together against the norm of a: what a lower precision leaves is spread over them, and its share in any
/// one of them shrinks with their number. The worst pair stands for all.
void see_pairs(const MatrixView& a, const double* w, const MatrixView& v, std::int64_t first, Largest& largest) {
  std::vector<long double> errors;
  for (std::int64_t j = 0; j < v.columns; ++j) errors.push_back(error_of(a, w[j], v, j));
  const long double all = std::accumulate(errors.begin(), errors.end(), 0.0L), size = norm_of(a);
  const auto worst = std::max_element(errors.begin(), errors.end());
  for (auto error = errors.begin(); error != errors.end(); ++error) {
    const long double share = error == worst && !std::isnan(all) ? all : *error;
    largest.see(static_cast<std::size_t>(first + (error - errors.begin())), relative_to(std::sqrt(share), size));
  }
}

PropertyAnswer examine(const OracleCall& call) {
  return properties([&] {
    const Operands o(call);
    o.same_shape("a", "v");
    const Matrices m = matrices_of(o, "a");
    if (m.rows != m.columns) throw Misfit{"a is " + shape_text(o.view("a").shape) + " but must be square"};
    if (o.view("w").elements != m.count * m.rows) {
      throw Misfit{"a " + shape_text(o.view("a").shape) + " does not give w " + shape_text(o.view("w").shape)};
    }
    const std::vector<double> a = o.doubles("a"), w = o.doubles("w"), v = o.doubles("v");
    // Two vectors that are each off by so much: twice the error, four times the roundings.
    Largest pairs("w", "a v = v diag(w)", roundings_of(m)),
        unit("v", "the columns of v are orthonormal", 4.0 * roundings_of(m));
    Broken rising("w", "w rises");
    for (std::int64_t b = 0; b < m.count; ++b) {
      const MatrixView vectors = matrix_at(v, m, b);
      const double* values = w.data() + b * m.rows;
      see_pairs(matrix_at(a, m, b), values, vectors, b * m.rows, pairs);
      see_orthonormal(vectors, b * m.size(), unit);
      for (std::int64_t i = 0; i < m.rows; ++i)
        rising.see(static_cast<std::size_t>(b * m.rows + i), i == 0 || values[i] >= values[i - 1]);
    }
    return std::vector{pairs.property(), unit.property(), rising.property()};
  });
}

Cost cost(const OracleCall& call) {
  const auto a = call.tensors.find("a");
  const double n =
      a == call.tensors.end() || a->second.shape.empty() ? 0.0 : static_cast<double>(a->second.shape.back());
  return touch_once(call, elements_of(call, "a") * n * 4.0 / 3.0);  // the way to tridiagonal form alone
}

const bool registered = Registry<Oracle>::add(
    {"eigh", "a v = v diag(w) for symmetric a, w rising and the columns of v orthonormal (property)", kArgs, nullptr,
     cost, examine});

}  // namespace
}  // namespace assay
