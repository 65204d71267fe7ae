#include <array>

#include "reference/matrices.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 3> kArgs{
    {{"a", OracleArgKind::input}, {"l", OracleArgKind::output}, {"upper", OracleArgKind::scalar, false, 0.0}}};

/// An element of l is a sum of up to n - 1 products, taken off, then a root or a quotient: |a - l l'| <= γ of n + 1
/// roundings times |l| |l'| (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, theorem 10.3), and one
/// more for a reciprocal in place of the quotient.
double roundings_of(const Matrices& a) {
  return static_cast<double>(a.rows) + 2.0;
}

/// Row i of the factor, whichever triangle it lies in.
struct Factor {
  MatrixView l;
  bool upper;
  long double at(std::int64_t i, std::int64_t j) const { return upper ? l.at(j, i) : l.at(i, j); }
  std::size_t index(std::int64_t first, std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(first + (upper ? j * l.columns + i : i * l.columns + j));
  }
};

void see_product(const MatrixView& a, const Factor& l, std::int64_t first, Largest& largest) {
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      long double rest = a.at(i, j), size = 0.0L;
      for (std::int64_t k = 0; k <= j; ++k) {
        const long double product = l.at(i, k) * l.at(j, k);
        rest -= product;
        size += std::fabs(product);
      }
      largest.see(l.index(first, i, j), relative_to(std::fabs(rest), size));
    }
  }
}

PropertyAnswer examine(const OracleCall& call) {
  return properties([&] {
    const Operands o(call);
    o.same_shape("a", "l");
    const Matrices m = matrices_of(o, "a");
    if (m.rows != m.columns) throw Misfit{"a is " + shape_text(o.view("a").shape) + " but must be square"};
    const std::vector<double> a = o.doubles("a"), factors = o.doubles("l");
    Largest product("l", "a = l l'", roundings_of(m));
    Broken triangle("l", "the other triangle of l is zero"), positive("l", "the diagonal of l is positive");
    for (std::int64_t b = 0; b < m.count; ++b) {
      const Factor l{matrix_at(factors, m, b), o.flag("upper")};
      see_product(matrix_at(a, m, b), l, b * m.size(), product);
      for (std::int64_t i = 0; i < m.rows; ++i) {
        positive.see(l.index(b * m.size(), i, i), l.at(i, i) > 0.0L);
        for (std::int64_t j = i + 1; j < m.rows; ++j) triangle.see(l.index(b * m.size(), i, j), l.at(i, j) == 0.0L);
      }
    }
    return std::vector{product.property(), positive.property(), triangle.property()};
  });
}

Cost cost(const OracleCall& call) {
  const auto a = call.tensors.find("a");
  const double n =
      a == call.tensors.end() || a->second.shape.empty() ? 0.0 : static_cast<double>(a->second.shape.back());
  return touch_once(call, elements_of(call, "a") * n / 3.0);
}

const bool registered = Registry<Oracle>::add(
    {"cholesky", "a = l l' with l lower triangular and a positive diagonal; upper = 1: l' is given (property)", kArgs,
     nullptr, cost, examine});

}  // namespace
}  // namespace assay
