#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support.h"

namespace assay {
namespace {

using namespace testing_support;

/// Rows of one head: element (row, c) of a tensor lies at first + row * step + c.
struct Head {
  const Owned& x;
  std::int64_t first, step, rows, size;
  double at(std::int64_t r, std::int64_t c) const { return x.at(first + r * step + c); }
};

/// The definition, for one row of q; `Real` is Quad for truth and float for an honest kernel.
template <class Real, class Exp>
std::vector<Real> attend(const Head& q, const Head& k, const Head& v, std::int64_t r, std::int64_t keys, double scale,
                         Exp&& exponential) {
  std::vector<Real> scores, out(static_cast<std::size_t>(v.size), 0);
  Real max = -INFINITY, sum = 0;
  for (std::int64_t j = 0; j < keys; ++j) {
    Real score = 0;
    for (std::int64_t c = 0; c < q.size; ++c) score += static_cast<Real>(q.at(r, c)) * static_cast<Real>(k.at(j, c));
    scores.push_back(score * static_cast<Real>(scale));
    max = std::max(max, scores.back());
  }
  for (Real& score : scores) sum += score = exponential(score - max);
  for (std::int64_t j = 0; j < keys; ++j) {
    for (std::int64_t c = 0; c < v.size; ++c)
      out[static_cast<std::size_t>(c)] += scores[static_cast<std::size_t>(j)] / sum * static_cast<Real>(v.at(j, c));
  }
  return out;
}

struct Shape {
  std::int64_t heads = 2, groups = 1, queries = 3, keys = 5, size = 4, out = 4;
};

/// Truth and an honest float kernel for every head of one block; `ragged` interleaves heads with rows.
void expect_block(const RealTruth& truth, const Owned& q, const Owned& k, const Owned& v, const Shape& s, bool ragged,
                  bool causal, double scale, std::int64_t first_q, std::int64_t first_k, double slack) {
  for (std::int64_t h = 0; h < s.heads; ++h) {
    const std::int64_t g = h / (s.heads / s.groups);
    const auto head = [&](const Owned& x, std::int64_t first, std::int64_t heads, std::int64_t which, std::int64_t rows,
                          std::int64_t size) {
      return ragged ? Head{x, (first * heads + which) * size, heads * size, rows, size}
                    : Head{x, which * rows * size, size, rows, size};
    };
    const Head qs = head(q, first_q, s.heads, h, s.queries, s.size), ks = head(k, first_k, s.groups, g, s.keys, s.size),
               vs = head(v, first_k, s.groups, g, s.keys, s.out), os = head(q, first_q, s.heads, h, s.queries, s.out);
    for (std::int64_t r = 0; r < s.queries; ++r) {
      const std::int64_t seen = causal ? std::clamp<std::int64_t>(r + 1 + s.keys - s.queries, 0, s.keys) : s.keys;
      const auto want = attend<Quad>(qs, ks, vs, r, seen, scale, [](Quad x) { return expq(x); });
      const auto honest = attend<float>(qs, ks, vs, r, seen, scale, [](float x) { return std::exp(x); });
      for (std::int64_t c = 0; c < s.out; ++c) {
        const auto at = static_cast<std::size_t>(os.first + r * os.step + c), column = static_cast<std::size_t>(c);
        ASSERT_LE(static_cast<double>(fabsq(truth.value[at] - want[column])), slack * truth.scale[at]) << r << " " << c;
        ASSERT_LE(static_cast<double>(fabsq(honest[column] - want[column])),
                  0x1p-24 * 5 * std::sqrt(truth.n) * truth.scale[at]);
      }
    }
  }
}

class Attention : public testing::TestWithParam<Shape> {};

TEST_P(Attention, AgreesWithQuadPrecisionAndAcquitsAnHonestKernel) {
  const Shape& s = GetParam();
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const bool causal : {false, true}) {
      const Owned q = random_tensor(dtype, {s.heads, s.queries, s.size}, 1),
                  k = random_tensor(dtype, {s.groups, s.keys, s.size}, 2),
                  v = random_tensor(dtype, {s.groups, s.keys, s.out}, 3), o(dtype, {s.heads, s.queries, s.out});
      const RealTruth truth = Call()
                                  .with("q", q)
                                  .with("k", k)
                                  .with("v", v)
                                  .out("o", o)
                                  .scalar("scale", 0.5)
                                  .scalar("causal", causal)
                                  .real("attention", "o");
      expect_block(truth, q, k, v, s, false, causal, 0.5, 0, 0, dtype == DType::f64 ? 0x1p-53 : 0x1p-48);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Edges, Attention,
                         testing::Values(Shape{}, Shape{1, 1, 1, 1, 1, 1}, Shape{6, 2, 7, 33, 16, 8},
                                         Shape{2, 2, 5, 2, 3, 2}, Shape{4, 1, 1, 70, 64, 64}, Shape{2, 1, 3, 0, 4, 4}));

TEST(Attention, RaggedSequencesAgreeWithQuadPrecision) {
  rc::check("any lengths, empty ones included", [] {
    const Shape base{*rc::gen::element<std::int64_t>(1, 2, 4), 1, 0, 0, 5, 3};
    const bool causal = *rc::gen::arbitrary<bool>();
    std::vector<double> q_ends{0}, k_ends{0};
    for (int i = 0; i < 3; ++i) {
      q_ends.push_back(q_ends.back() + *rc::gen::inRange(0, 5));
      k_ends.push_back(k_ends.back() + *rc::gen::inRange(0, 7));
    }
    const auto nq = static_cast<std::int64_t>(q_ends.back()), nk = static_cast<std::int64_t>(k_ends.back());
    const Owned q = random_tensor(DType::f32, {nq, base.heads, 5}, 1), k = random_tensor(DType::f32, {nk, 1, 5}, 2),
                v = random_tensor(DType::f32, {nk, 1, 3}, 3), o(DType::f32, {nq, base.heads, 3});
    const Owned qo = tensor_of(DType::i32, {4}, q_ends), ko = tensor_of(DType::i32, {4}, k_ends);
    Call call;
    call.with("q", q).with("k", k).with("v", v).out("o", o).with("q_offsets", qo).with("kv_offsets", ko);
    const RealTruth truth = call.scalar("scale", 0.4).scalar("causal", causal).real("attention", "o");
    for (std::size_t i = 0; i < 3; ++i) {
      Shape s = base;
      s.queries = static_cast<std::int64_t>(q_ends[i + 1] - q_ends[i]);
      s.keys = static_cast<std::int64_t>(k_ends[i + 1] - k_ends[i]);
      expect_block(truth, q, k, v, s, true, causal, 0.4, static_cast<std::int64_t>(q_ends[i]),
                   static_cast<std::int64_t>(k_ends[i]), 0x1p-48);
    }
    RC_ASSERT(!testing::Test::HasFatalFailure());
  });
}

TEST(Attention, RowsThatSeeNoKeyAreZeros) {
  const Owned q = random_tensor(DType::f32, {1, 3, 2}), k = random_tensor(DType::f32, {1, 1, 2}, 2),
              o(DType::f32, {1, 3, 2});
  const RealTruth truth = Call()
                              .with("q", q)
                              .with("k", k)
                              .with("v", k)
                              .out("o", o)
                              .scalar("scale", 1)
                              .scalar("causal", 1)
                              .real("attention", "o");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(truth.value[i], 0.0);
  EXPECT_EQ(truth.value[4], k.at(0));
  EXPECT_EQ(truth.value[5], k.at(1));
}

/// Rounded weights of a bfloat16 kernel with float sums are within the contract's grant; a dropped key is not.
TEST(Attention, GrantsRoundedWeightsButNoLostKey) {
  const std::int64_t keys = 200, size = 32;
  const Owned q = random_tensor(DType::bf16, {1, 1, size}, 1, 0.5), k = random_tensor(DType::bf16, {1, keys, size}, 2),
              v = random_tensor(DType::bf16, {1, keys, size}, 3), o(DType::bf16, {1, 1, size});
  const RealTruth truth =
      Call().with("q", q).with("k", k).with("v", v).out("o", o).scalar("scale", 0.25).real("attention", "o");
  const Head qs{q, 0, size, 1, size}, ks{k, 0, size, keys, size}, vs{v, 0, size, keys, size};
  const auto less = attend<Quad>(qs, ks, vs, 0, keys - 1, 0.25, [](Quad x) { return expq(x); });
  const auto rounded = attend<float>(qs, ks, vs, 0, keys, 0.25,
                                     [](float x) { return static_cast<float>(round_to(DType::bf16, std::exp(x))); });
  int lost = 0;
  for (std::size_t c = 0; c < static_cast<std::size_t>(size); ++c) {
    const double allowed = 0x1p-8 * 5 * truth.between * truth.scale[c];
    EXPECT_LE(std::fabs(rounded[c] - truth.value[c]), allowed);
    lost += static_cast<double>(fabsq(less[c] - truth.value[c])) > allowed;
  }
  EXPECT_GT(lost, 0);
}

TEST(Attention, SaysWhatDoesNotFit) {
  const Owned q(DType::f32, {3, 2, 4}), k(DType::f32, {2, 5, 4}), o(DType::f32, {3, 2, 4}), off(DType::i32, {2});
  Call call;
  call.with("q", q).with("k", k).with("v", k).out("o", o).scalar("scale", 1);
  EXPECT_NE(call.refusal("attention").find("no multiple"), std::string::npos);
  call.with("q_offsets", off);
  EXPECT_EQ(call.refusal("attention"), "bind q_offsets and kv_offsets, or neither");
}

}  // namespace
}  // namespace assay
