#include <array>

#include "reference/matrices.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 3> kArgs{
    {{"a", OracleArgKind::input}, {"w", OracleArgKind::output}, {"v", OracleArgKind::output}}};

/// Some n similarity transformations of n elements, forth and back: as of a QR factorisation, measured against the norm
/// of a. Sweeps of rotations and steps of an iteration stay below it, since errors of mixed sign add up like roots.
double roundings_of(const Matrices& a) {
  return 4.0 * static_cast<double>(a.rows) * static_cast<double>(a.rows);
}

long double norm_of(const MatrixView& a) {
  long double squares = 0.0L;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < a.columns; ++j) squares += a.at(i, j) * a.at(i, j);
  }
  return std::sqrt(squares);
}

/// Norms of a v_j - w_j v_j against that of a.
void see_pairs(const MatrixView& a, const double* w, const MatrixView& v, std::int64_t first, Largest& largest) {
  const long double size = norm_of(a);
  for (std::int64_t j = 0; j < v.columns; ++j) {
    long double error = 0.0L;
    for (std::int64_t i = 0; i < a.rows; ++i) {
      long double rest = -static_cast<long double>(w[j]) * v.at(i, j);
      for (std::int64_t k = 0; k < a.columns; ++k) rest += a.at(i, k) * v.at(k, j);
      error += rest * rest;
    }
    largest.see(static_cast<std::size_t>(first + j), relative_to(std::sqrt(error), size));
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
