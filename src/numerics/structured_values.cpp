#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "numerics/elementary.h"
#include "numerics/value_kinds.h"

namespace assay {
namespace {

constexpr int kReflections = 16;  ///< enough to fill a matrix densely; O(n²) each

/// A square or tall matrix in double, row-major.
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> at;
  double& operator()(std::int64_t i, std::int64_t j) { return at[static_cast<std::size_t>(i * columns + j)]; }
};

std::vector<double> random_unit_vector(StreamReader& random, std::int64_t size) {
  std::vector<double> v(static_cast<std::size_t>(size));
  double norm = 0.0;
  for (double& x : v) {
    x = 2.0 * random.unit() - 1.0;
    norm += x * x;
  }
  norm = std::sqrt(norm);
  for (double& x : v) x /= norm;
  return v;
}

/// m := (I - 2 v vᵀ) m.
void reflect_rows(Matrix& m, const std::vector<double>& v) {
  std::vector<double> projection(static_cast<std::size_t>(m.columns), 0.0);
  for (std::int64_t i = 0; i < m.rows; ++i) {
    for (std::int64_t j = 0; j < m.columns; ++j)
      projection[static_cast<std::size_t>(j)] += v[static_cast<std::size_t>(i)] * m(i, j);
  }
  for (std::int64_t i = 0; i < m.rows; ++i) {
    for (std::int64_t j = 0; j < m.columns; ++j) {
      m(i, j) -= 2.0 * v[static_cast<std::size_t>(i)] * projection[static_cast<std::size_t>(j)];
    }
  }
}

/// m := m (I - 2 v vᵀ).
void reflect_columns(Matrix& m, const std::vector<double>& v) {
  for (std::int64_t i = 0; i < m.rows; ++i) {
    double projection = 0.0;
    for (std::int64_t j = 0; j < m.columns; ++j) projection += m(i, j) * v[static_cast<std::size_t>(j)];
    for (std::int64_t j = 0; j < m.columns; ++j) m(i, j) -= 2.0 * projection * v[static_cast<std::size_t>(j)];
  }
}

int reflections_for(std::int64_t size) {
  return static_cast<int>(std::min<std::int64_t>(size, kReflections));
}

/// rows >= columns: orthonormal columns, a product of random reflections applied to the unit matrix.
Matrix orthonormal(StreamReader& random, std::int64_t rows, std::int64_t columns) {
  Matrix m{rows, columns, std::vector<double>(static_cast<std::size_t>(rows * columns), 0.0)};
  for (std::int64_t j = 0; j < columns; ++j) m(j, j) = random.next() & 1 ? 1.0 : -1.0;
  for (int r = reflections_for(rows); r > 0; --r) reflect_rows(m, random_unit_vector(random, rows));
  return m;
}

/// Q D Qᵀ with eigenvalues in [0.05, 1]: far enough from 0 to stay positive definite when rounded to bfloat16.
Matrix positive_definite(StreamReader& random, std::int64_t size) {
  Matrix m{size, size, std::vector<double>(static_cast<std::size_t>(size * size), 0.0)};
  for (std::int64_t i = 0; i < size; ++i) m(i, i) = 0.05 + 0.95 * random.unit();
  for (int r = reflections_for(size); r > 0; --r) {
    const std::vector<double> v = random_unit_vector(random, size);
    reflect_rows(m, v);
    reflect_columns(m, v);
  }
  return m;
}

struct MatrixBatch {
  std::int64_t rows, columns, count;
};

MatrixBatch batch_of(const Draw& draw, const char* kind) {
  if (draw.shape.size() < 2) {
    throw Error("tensors." + draw.tensor + " values: " + kind + " needs at least two axes", Exit::kUsage);
  }
  const std::int64_t rows = draw.shape[draw.shape.size() - 2], columns = draw.shape.back();
  return {rows, columns, draw.elements / (rows * columns)};
}

StreamReader reader_for(const Draw& draw, std::int64_t part) {
  return StreamReader(derive_key(draw.key, static_cast<std::uint64_t>(part), "part"));
}

}  // namespace

void draw_probabilities(const Draw& draw) {
  const std::int64_t row = draw.row();
  std::vector<double> weights(static_cast<std::size_t>(row));
  for (std::int64_t first = 0; first < draw.elements; first += row) {
    StreamReader random = reader_for(draw, first / row);
    double sum = 0.0;
    for (double& w : weights) sum += w = -draw_log(random.unit());  // exponential: uniform on the simplex
    for (std::int64_t i = 0; i < row; ++i) draw.put(first + i, weights[static_cast<std::size_t>(i)] / sum);
  }
}

void draw_permutation(const Draw& draw) {
  const std::int64_t row = draw.row(), extent = draw.values.extent;
  if (extent < row) {
    throw Error("tensors." + draw.tensor + " values: a permutation of " + std::to_string(extent) +
                    " can't fill rows of " + std::to_string(row),
                Exit::kUsage);
  }
  std::vector<std::int64_t> order(static_cast<std::size_t>(extent));
  for (std::int64_t first = 0; first < draw.elements; first += row) {
    StreamReader random = reader_for(draw, first / row);
    std::iota(order.begin(), order.end(), 0);
    for (std::int64_t i = 0; i < row; ++i) {
      const auto other = i + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(extent - i)));
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(other)]);
      draw.put(first + i, static_cast<double>(order[static_cast<std::size_t>(i)]));
    }
  }
}

/// Lengths of segments in proportion to random weights: a quarter are empty, one in eight is ten times as heavy.
void draw_offsets(const Draw& draw) {
  const std::int64_t row = draw.row(), total = draw.values.extent;
  std::vector<double> upto(static_cast<std::size_t>(row), 0.0);
  for (std::int64_t first = 0; first < draw.elements; first += row) {
    StreamReader random = reader_for(draw, first / row);
    for (std::size_t i = 1; i < upto.size(); ++i) {
      const std::uint64_t luck = random.below(8);
      const double weight = luck < 2 ? 0.0 : (luck == 7 ? 10.0 : 1.0) * -draw_log(random.unit());
      upto[i] = upto[i - 1] + weight;
    }
    for (std::int64_t i = 0; i < row; ++i) {
      const double share = upto.back() > 0.0 ? upto[static_cast<std::size_t>(i)] / upto.back() : 0.0;
      const bool last = i == row - 1 && row > 1;  // a single offset is the first: there are no segments
      draw.put(first + i, last ? static_cast<double>(total) : std::floor(share * static_cast<double>(total)));
    }
  }
}

void draw_spd(const Draw& draw) {
  const MatrixBatch batch = batch_of(draw, "spd");
  if (batch.rows != batch.columns) {
    throw Error("tensors." + draw.tensor + " values: spd needs square matrices, not " + std::to_string(batch.rows) +
                    " x " + std::to_string(batch.columns),
                Exit::kUsage);
  }
  const std::int64_t n = batch.rows;
  for (std::int64_t b = 0; b < batch.count; ++b) {
    StreamReader random = reader_for(draw, b);
    Matrix m = positive_definite(random, n);
    for (std::int64_t i = 0; i < n; ++i) {  // the lower triangle twice: symmetric to the last bit
      for (std::int64_t j = 0; j < n; ++j) draw.put((b * n + i) * n + j, m(std::max(i, j), std::min(i, j)));
    }
  }
}

void draw_orthogonal(const Draw& draw) {
  const MatrixBatch batch = batch_of(draw, "orthogonal");
  const bool tall = batch.rows >= batch.columns;
  for (std::int64_t b = 0; b < batch.count; ++b) {
    StreamReader random = reader_for(draw, b);
    Matrix m = orthonormal(random, std::max(batch.rows, batch.columns), std::min(batch.rows, batch.columns));
    for (std::int64_t i = 0; i < batch.rows; ++i) {
      for (std::int64_t j = 0; j < batch.columns; ++j) {
        draw.put((b * batch.rows + i) * batch.columns + j, tall ? m(i, j) : m(j, i));
      }
    }
  }
}

}  // namespace assay
