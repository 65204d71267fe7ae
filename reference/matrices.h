#pragma once
#include <algorithm>

#include "reference/measures.h"
#include "reference/operands.h"

/// What oracles of factorisations share: batches of matrices, and residuals in long double.
namespace assay {

/// The last two axes of a tensor, and how often.
struct Matrices {
  std::int64_t count = 1, rows = 0, columns = 0;
  std::int64_t size() const { return rows * columns; }
};

inline Matrices matrices_of(const Operands& o, std::string_view name) {
  o.rank(name, 2);
  const auto shape = o.view(name).shape;
  Matrices m{1, shape[shape.size() - 2], shape.back()};
  for (const std::int64_t extent : shape.first(shape.size() - 2)) m.count *= extent;
  return m;
}

/// One row-major matrix of a batch.
struct MatrixView {
  const double* data;
  std::int64_t rows, columns;
  long double at(std::int64_t i, std::int64_t j) const { return data[i * columns + j]; }
};

inline MatrixView matrix_at(const std::vector<double>& data, const Matrices& m, std::int64_t index) {
  return {data.data() + index * m.size(), m.rows, m.columns};
}

/// error / size: 0 where there is no error at all, infinite where there should be none.
inline long double relative_to(long double error, long double size) {
  return error == 0.0L ? 0.0L : error / size;
}

/// Scalar products of the columns of q against the unit matrix. `first` is the index of its first element.
inline void see_orthonormal(const MatrixView& q, std::int64_t first, Largest& largest) {
  for (std::int64_t i = 0; i < q.columns; ++i) {
    for (std::int64_t j = i; j < q.columns; ++j) {
      long double sum = i == j ? -1.0L : 0.0L;
      for (std::int64_t r = 0; r < q.rows; ++r) sum += q.at(r, i) * q.at(r, j);
      largest.see(static_cast<std::size_t>(first + j), std::fabs(sum));
    }
  }
}

}  // namespace assay
