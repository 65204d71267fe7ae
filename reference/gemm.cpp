#include <array>

#include "numerics/vectorised.h"
#include "reference/operands.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 7> kArgs{{
    {"a", OracleArgKind::input},
    {"b", OracleArgKind::input},
    {"c", OracleArgKind::inout},
    {"alpha", OracleArgKind::scalar, false, 1.0},
    {"beta", OracleArgKind::scalar, false, 0.0},
    {"trans_a", OracleArgKind::scalar, false, 0.0},
    {"trans_b", OracleArgKind::scalar, false, 0.0},
}};

struct Sizes {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
};

/// Batches of A and B equal C's, or are absent (one matrix for all).
Sizes sizes_of(const Operands& o, bool trans_a, bool trans_b) {
  for (const char* name : {"a", "b", "c"}) o.rank(name, 2);
  const auto sa = o.view("a").shape, sb = o.view("b").shape, sc = o.view("c").shape;
  const auto rows = [](auto s, bool t) { return s[s.size() - (t ? 1 : 2)]; };
  const auto columns = [](auto s, bool t) { return s[s.size() - (t ? 2 : 1)]; };
  Sizes s{1, rows(sa, trans_a), columns(sb, trans_b), columns(sa, trans_a)};
  const bool inner = rows(sb, trans_b) == s.k && rows(sc, false) == s.m && columns(sc, false) == s.n;
  const auto lead = [](auto shape) { return shape.first(shape.size() - 2); };
  const auto fits = [&](auto shape) {
    return shape.size() == 2 || std::equal(lead(shape).begin(), lead(shape).end(), lead(sc).begin(), lead(sc).end());
  };
  if (!inner || !fits(sa) || !fits(sb)) {
    throw Misfit{"a " + shape_text(sa) + " times b " + shape_text(sb) + " does not give c " + shape_text(sc) +
                 (trans_a || trans_b ? " (with the given transposition)" : "")};
  }
  for (const std::int64_t extent : lead(sc)) s.batch *= extent;
  return s;
}

/// Row-major rows x columns from its transpose.
std::vector<double> transposed(const double* from, std::int64_t rows, std::int64_t columns) {
  std::vector<double> to(static_cast<std::size_t>(rows * columns));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) to[static_cast<std::size_t>(i * columns + j)] = from[j * rows + i];
  }
  return to;
}

/// One row of C: sum[j] += a b[j] and size[j] += |a b[j]|, plain double.
ASSAY_VECTORISED void add_row(double a, const double* __restrict b, std::int64_t n, double* __restrict sum,
                              double* __restrict size) {
  for (std::int64_t j = 0; j < n; ++j) {
    const double product = a * b[j];
    sum[j] += product;
    size[j] += product < 0 ? -product : product;
  }
}

/// The same in twice the precision, the rounding errors gathered in rest[j].
ASSAY_VECTORISED void add_row_twice(double a, const double* __restrict b, std::int64_t n, double* __restrict sum,
                                    double* __restrict rest, double* __restrict size) {
  for (std::int64_t j = 0; j < n; ++j) {
    const double product = a * b[j];
    const double next = sum[j] + product;
    const double part = next - sum[j];
    rest[j] += ((sum[j] - (next - part)) + (product - part)) + __builtin_fma(a, b[j], -product);
    sum[j] = next;
    size[j] += product < 0 ? -product : product;
  }
}

/// One matrix of the batch, A and B row-major and not transposed.
void multiply(const double* a, const double* b, const Sizes& s, bool twice, double* value, double* scale) {
  std::vector<double> rest(static_cast<std::size_t>(s.n));
  for (std::int64_t i = 0; i < s.m; ++i) {
    double *sum = value + i * s.n, *size = scale + i * s.n;
    std::fill(rest.begin(), rest.end(), 0.0);
    for (std::int64_t k = 0; k < s.k; ++k) {
      if (twice) {
        add_row_twice(a[i * s.k + k], b + k * s.n, s.n, sum, rest.data(), size);
      } else {
        add_row(a[i * s.k + k], b + k * s.n, s.n, sum, size);
      }
    }
    for (std::int64_t j = 0; twice && j < s.n; ++j) {
      if (std::isfinite(sum[j])) sum[j] += rest[static_cast<std::size_t>(j)];
    }
  }
}

/// alpha product + beta c; c is not read where beta = 0.
void blend(const Operands& o, double alpha, double beta, RealTruth& truth) {
  const std::vector<double> old = beta != 0.0 ? o.doubles("c") : std::vector<double>();
  for (std::size_t i = 0; i < truth.value.size(); ++i) {
    TwiceSum sum;
    sum.add_product(alpha, truth.value[i]);
    truth.scale[i] *= std::fabs(alpha);
    if (beta != 0.0) {
      sum.add_product(beta, old[i]);
      truth.scale[i] += std::fabs(beta * old[i]);
    }
    truth.value[i] = sum.value();
  }
}

OracleAnswer evaluate(const OracleCall& call) {
  return answer([&] {
    const Operands o(call);
    const bool trans_a = o.flag("trans_a"), trans_b = o.flag("trans_b");
    const Sizes s = sizes_of(o, trans_a, trans_b);
    const double alpha = o.scalar("alpha", 1.0), beta = o.scalar("beta", 0.0);
    const bool twice = needs_twice(o, {"a", "b"});
    const std::vector<double> a = o.doubles("a"), b = o.doubles("b");
    const std::int64_t step_a = o.view("a").shape.size() == 2 ? 0 : s.m * s.k;
    const std::int64_t step_b = o.view("b").shape.size() == 2 ? 0 : s.k * s.n;
    RealTruth truth = blank_truth(s.batch * s.m * s.n, static_cast<double>(s.k));
    truth.matrix_unit = true;
    for (std::int64_t i = 0; i < s.batch; ++i) {
      const double *at = a.data() + i * step_a, *bt = b.data() + i * step_b;
      const std::vector<double> a_rows = trans_a ? transposed(at, s.m, s.k) : std::vector<double>();
      const std::vector<double> b_rows = trans_b ? transposed(bt, s.k, s.n) : std::vector<double>();
      multiply(trans_a ? a_rows.data() : at, trans_b ? b_rows.data() : bt, s, twice, truth.value.data() + i * s.m * s.n,
               truth.scale.data() + i * s.m * s.n);
    }
    if (alpha != 1.0) truth.n += 1;
    if (beta != 0.0) truth.n += 2;
    if (alpha != 1.0 || beta != 0.0) blend(o, alpha, beta, truth);
    Outputs outputs;
    outputs["c"] = std::move(truth);
    return outputs;
  });
}

Cost cost(const OracleCall& call) {
  const auto a = call.tensors.find("a");
  const auto k =
      a == call.tensors.end() || a->second.shape.size() < 2
          ? 0.0
          : static_cast<double>(a->second.shape[a->second.shape.size() - (Operands(call).flag("trans_a") ? 2 : 1)]);
  return touch_once(call, 2.0 * elements_of(call, "c") * k);
}

const bool registered = Registry<Oracle>::add(
    {"gemm", "c = alpha op(a) op(b) + beta c, row-major, batch in leading axes; beta = 0 does not read c", kArgs,
     evaluate, cost, nullptr, true});

}  // namespace
}  // namespace assay
