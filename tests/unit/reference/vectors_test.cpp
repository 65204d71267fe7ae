#include <gtest/gtest.h>

#include "support.h"

namespace assay {
namespace {

using namespace testing_support;

TEST(Gemv, AgreesWithQuadPrecision) {
  for (const bool transposed : {false, true}) {
    const std::int64_t m = 6, n = 41;
    const Owned a = random_tensor(DType::f64, transposed ? std::vector{n, m} : std::vector{m, n}),
                x = random_tensor(DType::f64, {n}, 2);
    const Owned y = random_tensor(DType::f64, {m}, 3);
    const RealTruth truth = Call()
                                .with("a", a)
                                .with("x", x)
                                .with("y", y)
                                .scalar("alpha", 1.7)
                                .scalar("beta", -0.3)
                                .scalar("trans_a", transposed)
                                .real("gemv", "y");
    EXPECT_GE(truth.n, n + 2);
    for (std::int64_t i = 0; i < m; ++i) {
      Quad sum = 0, size = 0;
      for (std::int64_t k = 0; k < n; ++k) {
        const Quad p = Quad(a.at(transposed ? k * m + i : i * n + k)) * x.at(k);
        sum += p;
        size += fabsq(p);
      }
      const Quad want = Quad(1.7) * sum - Quad(0.3) * y.at(i);
      const auto at = static_cast<std::size_t>(i);
      EXPECT_LT(static_cast<double>(fabsq(truth.value[at] - want) / truth.scale[at]), 0x1p-52);
      EXPECT_NEAR(truth.scale[at], static_cast<double>(Quad(1.7) * size + fabsq(Quad(0.3) * y.at(i))), 1e-12);
    }
  }
  const Owned a(DType::f32, {2, 3}), x(DType::f32, {2}), y(DType::f32, {2});
  EXPECT_EQ(Call().with("a", a).with("x", x).out("y", y).refusal("gemv"), "a [2, 3] times x [2] does not give y [2]");
}

TEST(Dot, SurvivesCancellation) {
  const Owned x = tensor_of(DType::f64, {3}, {1e10, 1, -1e10}), y = tensor_of(DType::f64, {3}, {1e10, 0.5, 1e10});
  const Owned out(DType::f64, {1});
  const RealTruth truth = Call().with("x", x).with("y", y).out("out", out).real("dot", "out");
  EXPECT_EQ(truth.value[0], 0.5);
  EXPECT_EQ(truth.n, 3);
}

TEST(Axpy, AddsOnce) {
  const Owned x = random_tensor(DType::f32, {30}), y = random_tensor(DType::f32, {30}, 2);
  const RealTruth truth = Call().with("x", x).with("y", y).scalar("alpha", 0.37).real("axpy", "y");
  for (std::int64_t i = 0; i < 30; ++i) {
    EXPECT_LT(ulps(truth.value[static_cast<std::size_t>(i)], Quad(0.37) * x.at(i) + y.at(i)), 1.002);
  }
}

TEST(Layernorm, AgreesWithQuadPrecisionAndAcquitsAnHonestKernel) {
  const std::int64_t T = 3, H = 130;
  Owned x = random_tensor(DType::f32, {T, H});
  for (std::int64_t i = 0; i < x.elements; ++i) x.set(i, x.at(i) + 30);  // the mean cancels
  const Owned w = random_tensor(DType::f32, {H}, 2), b = random_tensor(DType::f32, {H}, 3), y(DType::f32, {T, H});
  const RealTruth truth =
      Call().with("x", x).with("weight", w).with("bias", b).out("y", y).scalar("eps", 1e-5).real("layernorm", "y");
  for (std::int64_t t = 0; t < T; ++t) {
    Quad mean = 0, variance = 0;
    float sum = 0, squares = 0;
    for (std::int64_t h = 0; h < H; ++h) mean += Quad(x.at(t * H + h)) / H;
    for (std::int64_t h = 0; h < H; ++h) variance += (x.at(t * H + h) - mean) * (x.at(t * H + h) - mean) / H;
    for (std::int64_t h = 0; h < H; ++h) sum += static_cast<float>(x.at(t * H + h));
    const float m = sum / static_cast<float>(H);
    for (std::int64_t h = 0; h < H; ++h)
      squares += (static_cast<float>(x.at(t * H + h)) - m) * (static_cast<float>(x.at(t * H + h)) - m);
    const float r = 1.0f / std::sqrt(squares / static_cast<float>(H) + 1e-5f);
    for (std::int64_t h = 0; h < H; ++h) {
      const auto at = static_cast<std::size_t>(t * H + h);
      const Quad want = (x.at(t * H + h) - mean) / sqrtq(variance + Quad(1e-5)) * w.at(h) + b.at(h);
      ASSERT_LT(static_cast<double>(fabsq(truth.value[at] - want)), 0x1p-52 * truth.scale[at]);
      const float honest =
          (static_cast<float>(x.at(t * H + h)) - m) * r * static_cast<float>(w.at(h)) + static_cast<float>(b.at(h));
      ASSERT_LE(std::fabs(honest - truth.value[at]), truth.n * 0x1p-24 * truth.scale[at]);
    }
  }
}

TEST(Moves, KeepEveryBit) {
  const Owned table = random_tensor(DType::bf16, {5, 3}), ids = tensor_of(DType::i32, {4}, {4, 0, 4, 2}),
              y(DType::bf16, {4, 3});
  const auto rows =
      std::get<ExactTruth>(Call().with("table", table).with("ids", ids).out("y", y).truth("embedding", "y"));
  const int from[] = {4, 0, 4, 2};
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(
        std::equal(rows.bytes.begin() + i * 6, rows.bytes.begin() + i * 6 + 6, table.bytes.begin() + from[i] * 6));
  }
  const Owned bad = tensor_of(DType::i32, {4}, {0, 5, 0, 0});
  EXPECT_NE(Call().with("x", table).with("ids", bad).out("y", y).refusal("gather").find("ids[1] = 5 is no row"),
            std::string::npos);
  const Owned x = random_tensor(DType::f32, {2, 3, 4}), t(DType::f32, {2, 4, 3});
  const auto swapped = std::get<ExactTruth>(Call().with("x", x).out("y", t).truth("transpose", "y"));
  for (int b = 0; b < 2; ++b) {
    for (int i = 0; i < 12; ++i) {
      EXPECT_EQ(load_element(DType::f32, swapped.bytes.data() + (b * 12 + i) * 4), x.at(b * 12 + i % 3 * 4 + i / 3));
    }
  }
}

}  // namespace
}  // namespace assay
