#include <gtest/gtest.h>

#include <chrono>

#include "support.h"

namespace assay {
namespace {

using namespace testing_support;

struct Case {
  DType dtype;
  bool trans_a, trans_b;
  double alpha, beta;
};

class Gemm : public testing::TestWithParam<Case> {};

TEST_P(Gemm, AgreesWithQuadPrecision) {
  const auto [dtype, ta, tb, alpha, beta] = GetParam();
  const std::int64_t B = 2, M = 5, N = 7, K = 33;
  const Owned a = random_tensor(dtype, ta ? std::vector{B, K, M} : std::vector{B, M, K}, 1);
  const Owned b = random_tensor(dtype, tb ? std::vector{N, K} : std::vector{K, N}, 2);  // shared by the batch
  const Owned c = random_tensor(dtype, {B, M, N}, 3);
  const RealTruth truth = Call()
                              .with("a", a)
                              .with("b", b)
                              .with("c", c)
                              .scalar("alpha", alpha)
                              .scalar("beta", beta)
                              .scalar("trans_a", ta)
                              .scalar("trans_b", tb)
                              .real("gemm", "c");
  EXPECT_GE(truth.n, K);
  for (std::int64_t z = 0; z < B; ++z) {
    for (std::int64_t i = 0; i < M; ++i) {
      for (std::int64_t j = 0; j < N; ++j) {
        Quad sum = 0, scale = 0;
        for (std::int64_t k = 0; k < K; ++k) {
          const Quad p = Quad(a.at(z * M * K + (ta ? k * M + i : i * K + k))) * b.at(tb ? j * K + k : k * N + j);
          sum += p;
          scale += fabsq(p);
        }
        const std::int64_t at = (z * M + i) * N + j;
        const Quad old = c.at(at);
        const Quad want = alpha * sum + beta * old, size = fabsq(Quad(alpha)) * scale + fabsq(beta * old);
        const double off = static_cast<double>(fabsq(truth.value[static_cast<std::size_t>(at)] - want) / size);
        ASSERT_LT(off, dtype == DType::f64 ? 0x1p-53 : 0x1p-50) << at;
        ASSERT_NEAR(truth.scale[static_cast<std::size_t>(at)] / static_cast<double>(size), 1.0, 1e-12);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Gemm,
                         testing::Values(Case{DType::f32, false, false, 1, 0}, Case{DType::f32, true, false, 1, 0},
                                         Case{DType::f32, false, true, -0.7, 0}, Case{DType::f64, true, true, 1.3, 0.4},
                                         Case{DType::f64, false, false, 1, 0}, Case{DType::bf16, false, false, 1, 1}));

TEST(GemmRules, BetaZeroDoesNotReadC) {
  const Owned a = random_tensor(DType::f32, {2, 3}), b = random_tensor(DType::f32, {3, 2});
  const Owned c = tensor_of(DType::f32, {2, 2}, {NAN, NAN, NAN, NAN});
  for (const double v : Call().with("a", a).with("b", b).with("c", c).real("gemm", "c").value)
    EXPECT_TRUE(std::isfinite(v));
  for (const double v : Call().with("a", a).with("b", b).with("c", c).scalar("beta", 1).real("gemm", "c").value) {
    EXPECT_TRUE(std::isnan(v));
  }
}

TEST(GemmRules, SpecialValuesPropagate) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Owned a = tensor_of(dtype, {1, 2}, {INFINITY, 1}), b = tensor_of(dtype, {2, 2}, {1, 0, 1, 1});
    const Owned c(dtype, {1, 2});
    const RealTruth truth = Call().with("a", a).with("b", b).out("c", c).real("gemm", "c");
    EXPECT_EQ(truth.value[0], INFINITY);
    EXPECT_TRUE(std::isnan(truth.value[1]));
  }
}

TEST(GemmRules, MisfitsAreSaid) {
  const Owned a(DType::f32, {2, 3}), b(DType::f32, {4, 2}), c(DType::f32, {2, 2}), v(DType::f32, {3});
  EXPECT_EQ(Call().with("a", a).with("b", b).out("c", c).refusal("gemm"),
            "a [2, 3] times b [4, 2] does not give c [2, 2]");
  EXPECT_NE(Call().with("a", v).with("b", b).out("c", c).refusal("gemm").find("needs 2 axes"), std::string::npos);
  EXPECT_NE(Call().with("a", a).with("b", b).refusal("gemm").find("c is not bound"), std::string::npos);
}

TEST(GemmRules, EmptyInnerSizeGivesZeros) {
  const Owned a(DType::f32, {2, 0}), b(DType::f32, {0, 3}), c(DType::f32, {2, 3});
  const RealTruth truth = Call().with("a", a).with("b", b).out("c", c).real("gemm", "c");
  EXPECT_EQ(truth.value, std::vector<double>(6, 0.0));
}

TEST(GemmRules, CountsItsCost) {
  const Owned a(DType::f32, {4, 5}), b(DType::f32, {5, 6}), c(DType::f32, {4, 6});
  const Call call = Call().with("a", a).with("b", b).out("c", c);
  for (const Oracle& o : Registry<Oracle>::all()) {
    if (o.id != "gemm") continue;
    EXPECT_EQ(o.cost(call.call).flops, 2 * 4 * 5 * 6);
    EXPECT_EQ(o.cost(call.call).bytes, 4 * (20 + 30 + 24));
  }
}

}  // namespace
}  // namespace assay
