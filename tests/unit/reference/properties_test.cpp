#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>

#include "examined.h"

namespace assay {
namespace {

using namespace testing_support;

std::vector<double> sorted(std::vector<double> values, bool descending) {
  std::sort(values.begin(), values.end());
  if (descending) std::reverse(values.begin(), values.end());
  return values;
}

/// Rows of geometric weights, half as likely from one index to the next, and draws by `pick(row)`.
template <class Pick>
std::string sampled(std::int64_t rows, Pick&& pick) {
  constexpr std::int64_t kSize = 8;
  std::vector<double> probs, ids;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t v = 0; v < kSize; ++v) probs.push_back(v == 7 ? 0.0 : std::ldexp(1.0, -static_cast<int>(v) - 1));
    ids.push_back(pick(r));
  }
  const Owned p = tensor_of(DType::f32, {rows, kSize}, probs);
  const Owned out = tensor_of(DType::i32, {rows}, ids);
  Call call;
  call.with("probs", p).with("ids", out);
  return broken(examined(call, "sample"));
}

TEST(Sample, AcquitsDrawsFromTheRowsAndNoOthers) {
  const char* const unlikely = "the draws together are as likely as draws from these rows are";
  Random random(5);
  const auto fair = [&](std::int64_t) {
    const double mark = random.unit();
    double sum = 0.0, v = 0.0;
    while (v < 6.0 && (sum += std::ldexp(1.0, -static_cast<int>(v) - 1)) <= mark) v += 1.0;
    return v;
  };
  for (const std::int64_t rows : {0, 1, 5, 64, 2000}) EXPECT_EQ(sampled(rows, fair), "") << rows;
  EXPECT_EQ(sampled(500, [](std::int64_t) { return 0.0; }), unlikely) << "always the likeliest";
  EXPECT_EQ(sampled(500, [](std::int64_t r) { return static_cast<double>(r % 7); }), unlikely) << "evenly";
  EXPECT_EQ(sampled(1, [](std::int64_t) { return 0.0; }), "") << "one draw proves nothing";
  EXPECT_EQ(sampled(1, [](std::int64_t) { return 7.0; }), "no draw has probability zero");
  EXPECT_EQ(sampled(2, [](std::int64_t r) { return r == 0 ? -1.0 : 8.0; }), "each draw is an index of its row");
}

/// Dropout of N(0, 1) with p = 0.25, the mask by `dropped(random, row, column, x)`.
template <class Mask>
std::vector<Property> masked(std::int64_t rows, std::int64_t columns, Mask&& dropped, double scale = 1.0 / 0.75) {
  Random random(11);
  std::vector<double> x, y;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    double value = 0.0;
    for (int k = 0; k < 12; ++k) value += random.unit() - 0.5;
    x.push_back(static_cast<float>(value));
    y.push_back(dropped(random, i / columns, i % columns, x.back()) ? 0.0 : x.back() * scale);
  }
  const Owned in = tensor_of(DType::f32, {rows, columns}, x), out = tensor_of(DType::f32, {rows, columns}, y);
  Call call;
  call.with("x", in).with("y", out).scalar("p", 0.25);
  return examined(call, "dropout");
}

TEST(Dropout, AcquitsIndependentMasksOfTheRightShareAndNoOthers) {
  const char* const share = "as many elements are kept as p says";
  const char* const apart = "elements are dropped independently of each other";
  const auto fair = [](Random& random, std::int64_t, std::int64_t, double) { return random.unit() < 0.25; };
  for (const std::int64_t rows : {0, 1, 7, 300}) EXPECT_EQ(broken(masked(rows, 96, fair)), "") << rows;
  EXPECT_EQ(broken(masked(1, 1, fair)), "") << "one draw proves nothing";
  const auto less = [](Random& random, std::int64_t, std::int64_t, double) { return random.unit() < 0.22; };
  EXPECT_NE(broken(masked(300, 96, less)).find(share), std::string::npos);
  const auto never = [](Random&, std::int64_t, std::int64_t, double) { return false; };
  EXPECT_NE(broken(masked(300, 96, never)), "") << "the identity, scaled";
  const auto scale = [&](double by) {
    return spent(find(masked(300, 96, fair, by), "what is kept is x / (1 - p)"), 0x1p-24);
  };
  EXPECT_LT(scale(1.0 / 0.75), 1.0);
  EXPECT_GT(scale(1.0), 1e5) << "what is kept isn't scaled";
  std::vector<bool> row;
  const auto repeats = [&](Random& random, std::int64_t, std::int64_t column, double) {
    if (row.size() < 96) row.push_back(random.unit() < 0.25);
    return static_cast<bool>(row[static_cast<std::size_t>(column)]);
  };
  EXPECT_NE(broken(masked(300, 96, repeats)).find(apart), std::string::npos) << "one mask for all rows";
  bool pair = false;
  const auto pairs = [&](Random& random, std::int64_t, std::int64_t column, double) {
    return column % 2 == 0 ? (pair = random.unit() < 0.25) : pair;
  };
  EXPECT_EQ(broken(masked(300, 96, pairs)), apart);
  const auto small = [](Random& random, std::int64_t, std::int64_t, double x) {
    return random.unit() < (x > 0.0 ? 0.15 : 0.35);
  };
  EXPECT_EQ(broken(masked(300, 96, small)), "what is kept doesn't depend on the values");
}

TEST(Sort, AcquitsSortedRowsAndSeesEveryChange) {
  rc::check("rows with many ties", [] {
    const auto n = *rc::gen::inRange<std::int64_t>(1, 20);
    const bool descending = *rc::gen::arbitrary<bool>();
    std::vector<double> values;
    for (std::int64_t i = 0; i < n; ++i) values.push_back(*rc::gen::inRange(-4, 5));
    const Owned x = tensor_of(DType::f32, {1, n}, values);
    Owned y = tensor_of(DType::f32, {1, n}, sorted(values, descending));
    Call call;
    call.with("x", x).with("y", y).scalar("descending", descending);
    RC_ASSERT(broken(examined(call, "sort")).empty());
    const auto at = *rc::gen::inRange<std::int64_t>(0, n);
    y.set(at, y.at(at) + 0.5);
    RC_ASSERT(!broken(examined(call, "sort")).empty());
  });
}

TEST(Sort, KeepsBitsOfZerosAndPutsNanLast) {
  const Owned x = tensor_of(DType::f32, {4}, {0.0, NAN, -0.0, -1}),
              y = tensor_of(DType::f32, {4}, {-1, 0.0, -0.0, NAN}),
              merged = tensor_of(DType::f32, {4}, {-1, 0.0, 0.0, NAN}),
              first = tensor_of(DType::f32, {4}, {NAN, -1, 0.0, -0.0});
  EXPECT_EQ(broken(examined(Call().with("x", x).with("y", y), "sort")), "");
  EXPECT_EQ(broken(examined(Call().with("x", x).with("y", merged), "sort")),
            "each row of y holds the elements of that of x");
  EXPECT_EQ(broken(examined(Call().with("x", x).with("y", first), "sort")), "each row of y is in order");
  Call by_option;
  by_option.with("x", x).with("y", first).call.options["nan"] = "first";
  EXPECT_EQ(broken(examined(by_option, "sort")), "");
}

TEST(Sort, LargeIntegersAreNotRounded) {
  Owned x(DType::i64, {2}), y(DType::i64, {2});
  const std::int64_t up[] = {(1LL << 60) + 1, 1LL << 60}, down[] = {1LL << 60, (1LL << 60) + 1};
  std::copy_n(reinterpret_cast<const std::byte*>(up), 16, x.bytes.begin());
  std::copy_n(reinterpret_cast<const std::byte*>(up), 16, y.bytes.begin());
  EXPECT_EQ(broken(examined(Call().with("x", x).with("y", y), "sort")), "each row of y is in order");
  std::copy_n(reinterpret_cast<const std::byte*>(down), 16, y.bytes.begin());
  EXPECT_EQ(broken(examined(Call().with("x", x).with("y", y), "sort")), "");
}

TEST(Argsort, IndicesAreAPermutationInOrder) {
  const Owned x = tensor_of(DType::f32, {2, 3}, {3, 1, 1, 0, 5, -2});
  const auto judged = [&](std::vector<double> indices, bool by_index) {
    const Owned i = tensor_of(DType::i32, {2, 3}, indices);
    Call call;
    call.with("x", x).with("indices", i);
    if (by_index) call.call.options["ties"] = "lowest-index";
    return broken(examined(call, "argsort"));
  };
  EXPECT_EQ(judged({1, 2, 0, 2, 0, 1}, true), "");
  EXPECT_EQ(judged({2, 1, 0, 2, 0, 1}, false), "");
  EXPECT_EQ(judged({2, 1, 0, 2, 0, 1}, true), "x at the indices is in order, ties by index");
  EXPECT_EQ(judged({1, 1, 0, 2, 0, 1}, false), "indices are distinct and in range");
  EXPECT_EQ(judged({1, 2, 0, 2, 0, 3}, false), "indices are distinct and in range");
  EXPECT_EQ(judged({1, 2, 0, 0, 2, 1}, false), "x at the indices is in order");
}

TEST(TopK, PicksTheBestWithTheirIndices) {
  const Owned x = tensor_of(DType::f32, {5}, {2, 7, 2, 9, 2});
  const auto judged = [&](std::vector<double> values, std::vector<double> indices, bool by_index, double in_order = 1) {
    const Owned v = tensor_of(DType::f32, {3}, values), i = tensor_of(DType::i64, {3}, indices);
    Call call;
    call.with("x", x).with("values", v).with("indices", i).scalar("sorted", in_order);
    if (by_index) call.call.options["ties"] = "lowest-index";
    return broken(examined(call, "top_k"));
  };
  EXPECT_EQ(judged({9, 7, 2}, {3, 1, 0}, true), "");
  EXPECT_EQ(judged({9, 7, 2}, {3, 1, 4}, false), "");
  EXPECT_EQ(judged({9, 7, 2}, {3, 1, 4}, true), "of equal elements the first are taken");
  EXPECT_EQ(judged({7, 9, 2}, {1, 3, 0}, false, 0), "");
  EXPECT_EQ(judged({7, 9, 2}, {1, 3, 0}, false), "values are in order; x at the indices is in order");
  EXPECT_EQ(judged({9, 7, 2}, {3, 0, 1}, false), "values are x at the indices; x at the indices is in order");
  EXPECT_EQ(judged({9, 2, 2}, {3, 0, 2}, false),
            "values are the best of their row; x at the indices is the best of its row");
  EXPECT_EQ(judged({9, 7, 3}, {3, 1, 0}, false),
            "values are the best of their row; values are elements of their row; values are x at the indices");
}

TEST(TopK, WhateverAnOutputHoldsIsJudged) {
  const Owned x = tensor_of(DType::f32, {2}, {1, 2});
  Owned indices(DType::u64, {2});
  std::fill(indices.bytes.begin(), indices.bytes.end(), std::byte{0xff});
  EXPECT_EQ(broken(examined(Call().with("x", x).with("indices", indices), "top_k")),
            "indices are distinct and in range");
}

TEST(TopK, SmallestAndNan) {
  const Owned x = tensor_of(DType::f32, {4}, {2, NAN, -1, 5}), low = tensor_of(DType::f32, {2}, {-1, 2}),
              high = tensor_of(DType::f32, {2}, {NAN, 5}), plain = tensor_of(DType::f32, {2}, {5, 2});
  EXPECT_EQ(broken(examined(Call().with("x", x).with("values", low).scalar("largest", 0), "top_k")), "");
  EXPECT_EQ(broken(examined(Call().with("x", x).with("values", high), "top_k")), "");
  Call last;
  last.with("x", x).with("values", plain).call.options["nan"] = "last";
  EXPECT_EQ(broken(examined(last, "top_k")), "");
  last.call.options["nan"] = "somewhere";
  EXPECT_THROW(examined(last, "top_k"), std::runtime_error);
}

/// Modified Gram-Schmidt, twice: orthonormal to the last bits. `Real` is float for an honest kernel.
template <class Real>
void factorise(const Owned& a, Owned& q, Owned& r) {
  const std::int64_t m = a.shape[0], n = a.shape[1], k = q.shape[1];
  std::vector<Real> columns(static_cast<std::size_t>(m * n)), upper(static_cast<std::size_t>(k * n), Real(0));
  const auto at = [&](std::int64_t i, std::int64_t j) -> Real& { return columns[static_cast<std::size_t>(i * n + j)]; };
  for (std::int64_t i = 0; i < m * n; ++i) columns[static_cast<std::size_t>(i)] = static_cast<Real>(a.at(i));
  for (std::int64_t j = 0; j < n; ++j) {
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t p = 0; p < std::min(j, k); ++p) {
        Real dot = 0;
        for (std::int64_t i = 0; i < m; ++i) dot += at(i, p) * at(i, j);
        for (std::int64_t i = 0; i < m; ++i) at(i, j) -= dot * at(i, p);
        upper[static_cast<std::size_t>(p * n + j)] += dot;
      }
    }
    if (j >= k) continue;
    Real norm = 0;
    for (std::int64_t i = 0; i < m; ++i) norm += at(i, j) * at(i, j);
    norm = std::sqrt(static_cast<double>(norm));
    for (std::int64_t i = 0; i < m; ++i) at(i, j) /= norm;
    upper[static_cast<std::size_t>(j * n + j)] = norm;
  }
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < k; ++j) q.set(i * k + j, static_cast<double>(at(i, j)));
  }
  for (std::int64_t i = 0; i < k * n; ++i) r.set(i, static_cast<double>(upper[static_cast<std::size_t>(i)]));
}

TEST(Qr, AcquitsAnHonestFactorisationAndMeasuresItAsItIs) {
  for (const auto& [m, n] : std::vector<std::array<std::int64_t, 2>>{{1, 1}, {2, 2}, {40, 17}, {9, 20}, {64, 64}}) {
    const std::int64_t k = std::min(m, n);
    const Owned a = random_tensor(DType::f32, {m, n});
    Owned q(DType::f32, {m, k}), r(DType::f32, {k, n});
    factorise<float>(a, q, r);
    const auto found = examined(Call().with("a", a).with("q", q).with("r", r).scalar("positive", 1), "qr");
    EXPECT_EQ(broken(found), "");
    EXPECT_LT(spent(find(found, "a = q r"), 0x1p-24), 2);
    EXPECT_LT(spent(find(found, "the columns of q are orthonormal"), 0x1p-24), 2);
    Quad worst = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      Quad error = 0, size = 0;
      for (std::int64_t i = 0; i < m; ++i) {
        Quad rest = a.at(i * n + j);
        for (std::int64_t p = 0; p < k; ++p) rest -= Quad(q.at(i * k + p)) * r.at(p * n + j);
        error += rest * rest;
        size += Quad(a.at(i * n + j)) * a.at(i * n + j);
      }
      worst = std::max(worst, sqrtq(error / size));
    }
    EXPECT_NEAR(find(found, "a = q r").residual, static_cast<double>(worst), static_cast<double>(worst) * 1e-6 + 1e-30);
  }
}

TEST(Qr, SeesLossOfOrthogonalityPrecisionAndTriangle) {
  const Owned a = random_tensor(DType::f32, {48, 32});
  Owned q(DType::f32, {48, 32}), r(DType::f32, {32, 32});
  factorise<float>(a, q, r);
  const Call call = Call().with("a", a).with("q", q).with("r", r).scalar("positive", 1);
  for (std::int64_t i = 0; i < 48; ++i) q.set(i * 32 + 5, -q.at(i * 32 + 5));
  EXPECT_GT(spent(find(examined(call, "qr"), "a = q r"), 0x1p-24), 1000);
  for (std::int64_t j = 0; j < 32; ++j) r.set(5 * 32 + j, -r.at(5 * 32 + j));
  EXPECT_LT(spent(find(examined(call, "qr"), "a = q r"), 0x1p-24), 2);           // signs are free,
  EXPECT_EQ(broken(examined(call, "qr")), "the diagonal of r is not negative");  // unless the contract fixes them
  r.set(7 * 32 + 2, 1e-30);
  EXPECT_EQ(find(examined(call, "qr"), "r is upper triangular").index, 7 * 32 + 2);
  for (std::int64_t i = 0; i < q.elements; ++i) q.set(i, round_to(DType::bf16, q.at(i)));
  EXPECT_GT(spent(find(examined(call, "qr"), "the columns of q are orthonormal"), 0x1p-24), 20);
  q.set(3, NAN);
  EXPECT_TRUE(std::isnan(find(examined(call, "qr"), "a = q r").residual));
  const Owned wrong(DType::f32, {32, 31});
  EXPECT_THROW(examined(Call().with("a", a).with("q", q).with("r", wrong), "qr"), std::runtime_error);
}

/// g g' + n I: positive definite.
Owned definite(std::int64_t n) {
  const Owned g = random_tensor(DType::f32, {n, n}, 9);
  Owned a(DType::f32, {n, n});
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      double sum = i == j ? 0.1 : 0.0;
      for (std::int64_t k = 0; k < n; ++k) sum += g.at(i * n + k) * g.at(j * n + k);
      a.set(i * n + j, sum);
      a.set(j * n + i, sum);
    }
  }
  return a;
}

Owned cholesky(const Owned& a) {
  const std::int64_t n = a.shape[0];
  Owned l(DType::f32, {n, n});
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = j; i < n; ++i) {
      auto sum = static_cast<float>(a.at(i * n + j));
      for (std::int64_t k = 0; k < j; ++k)
        sum -= static_cast<float>(l.at(i * n + k)) * static_cast<float>(l.at(j * n + k));
      l.set(i * n + j, i == j ? std::sqrt(sum) : sum / static_cast<float>(l.at(j * n + j)));
    }
  }
  return l;
}

TEST(Cholesky, AcquitsAnHonestFactorAndSeesChanges) {
  for (const std::int64_t n : {1, 2, 33, 80}) {
    const Owned a = definite(n);
    Owned l = cholesky(a), u(DType::f32, {n, n});
    for (std::int64_t i = 0; i < n * n; ++i) u.set(i % n * n + i / n, l.at(i));
    const Call lower = Call().with("a", a).with("l", l);
    EXPECT_EQ(broken(examined(lower, "cholesky")), "");
    EXPECT_LT(spent(find(examined(lower, "cholesky"), "a = l l'"), 0x1p-24), 2);
    const auto upper = examined(Call().with("a", a).with("l", u).scalar("upper", 1), "cholesky");
    EXPECT_EQ(find(upper, "a = l l'").residual, find(examined(lower, "cholesky"), "a = l l'").residual);
    l.set(n * n - 1, l.at(n * n - 1) * 1.001);
    EXPECT_GT(spent(find(examined(lower, "cholesky"), "a = l l'"), 0x1p-24), 50);
    l.set(n * n - 1, -l.at(n * n - 1));
    EXPECT_EQ(broken(examined(lower, "cholesky")), "the diagonal of l is positive");
  }
}

}  // namespace
}  // namespace assay
