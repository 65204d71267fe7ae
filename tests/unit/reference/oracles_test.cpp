#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support.h"

namespace assay {
namespace {

using namespace testing_support;

TEST(Registry, HasNoProblems) {
  EXPECT_TRUE(Registry<Oracle>::problems().empty());
}

TEST(Rmsnorm, AgreesWithQuadPrecision) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16}) {
    const std::int64_t T = 4, H = 129;
    const Owned x = random_tensor(dtype, {T, H}), w = random_tensor(dtype, {H}, 2), y(dtype, {T, H});
    const RealTruth truth = Call().with("x", x).with("weight", w).out("y", y).scalar("eps", 1e-5).real("rmsnorm", "y");
    EXPECT_GE(truth.n, H);
    for (std::int64_t t = 0; t < T; ++t) {
      Quad squares = 0;
      for (std::int64_t h = 0; h < H; ++h) squares += Quad(x.at(t * H + h)) * x.at(t * H + h);
      const Quad root = sqrtq(squares / H + Quad(1e-5));
      for (std::int64_t h = 0; h < H; ++h) {
        const auto at = static_cast<std::size_t>(t * H + h);
        ASSERT_LT(ulps(truth.value[at], x.at(t * H + h) / root * w.at(h)), 1.002);
        ASSERT_EQ(truth.scale[at], std::fabs(truth.value[at]));
      }
    }
  }
}

TEST(Rmsnorm, SaysWhatDoesNotFit) {
  const Owned x(DType::f32, {2, 4}), w(DType::f32, {3}), y(DType::f32, {2, 4});
  EXPECT_EQ(Call().with("x", x).with("weight", w).out("y", y).refusal("rmsnorm"), "weight is [3] but rows of x have 4");
}

TEST(Softmax, AgreesWithQuadPrecisionAlsoFarDown) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const double spread : {1.0, 50.0, 400.0}) {
      const std::int64_t T = 3, H = 65;
      const Owned x = random_tensor(dtype, {T, H}, 5, spread), y(dtype, {T, H});
      const RealTruth truth = Call().with("x", x).out("y", y).real("softmax", "y");
      const RealTruth logs = Call().with("x", x).out("y", y).real("log_softmax", "y");
      for (std::int64_t t = 0; t < T; ++t) {
        Quad sum = 0;
        for (std::int64_t h = 0; h < H; ++h) sum += expq(x.at(t * H + h));
        for (std::int64_t h = 0; h < H; ++h) {
          const auto at = static_cast<std::size_t>(t * H + h);
          const Quad want = expq(x.at(t * H + h)) / sum;
          if (want > Quad(1e-300)) {
            ASSERT_LT(ulps(truth.value[at], want), 1.1);
          }
          ASSERT_LE(static_cast<double>(fabsq(truth.value[at] - want)), 0x1p-53 * 1.1 * truth.value[at] + 0x1p-1074);
          ASSERT_GE(truth.scale[at], truth.value[at]);
          const Quad log_want = Quad(x.at(t * H + h)) - logq(sum);
          ASSERT_LT(static_cast<double>(fabsq(logs.value[at] - log_want)), 0x1p-52 * logs.scale[at]);
        }
      }
    }
  }
}

/// An honest float softmax stays inside n u scale; one in bfloat16 does not.
TEST(Softmax, ScaleFitsAnHonestKernel) {
  const std::int64_t H = 40;
  for (const double spread : {1.0, 30.0}) {
    const Owned x = random_tensor(DType::f32, {H}, 6, spread), y(DType::f32, {H});
    const RealTruth truth = Call().with("x", x).out("y", y).real("softmax", "y");
    float max = -INFINITY, sum = 0;
    for (std::int64_t h = 0; h < H; ++h) max = std::max(max, static_cast<float>(x.at(h)));
    for (std::int64_t h = 0; h < H; ++h) sum += std::exp(static_cast<float>(x.at(h)) - max);
    int outside = 0;
    for (std::int64_t h = 0; h < H; ++h) {
      const auto at = static_cast<std::size_t>(h);
      const double got = std::exp(static_cast<float>(x.at(h)) - max) / sum;
      const double allowed = 0x1p-24 * truth.n * truth.scale[at] + 0x1p-140;
      ASSERT_LE(std::fabs(got - truth.value[at]), allowed);
      outside += std::fabs(round_to(DType::bf16, got) - truth.value[at]) > allowed;
    }
    EXPECT_GT(outside, 10);
  }
}

TEST(Softmax, SpecialRows) {
  const Owned x = tensor_of(DType::f32, {3, 2}, {-INFINITY, -INFINITY, 1, -INFINITY, NAN, 1}), y(DType::f32, {3, 2});
  const RealTruth truth = Call().with("x", x).out("y", y).real("softmax", "y");
  EXPECT_TRUE(std::isnan(truth.value[0]) && std::isnan(truth.value[1]));
  EXPECT_EQ(truth.value[2], 1.0);
  EXPECT_EQ(truth.value[3], 0.0);
  EXPECT_TRUE(std::isnan(truth.value[4]) && std::isnan(truth.value[5]));
}

TEST(ReduceSum, EveryAxisAgreesWithQuadPrecision) {
  const Owned x = random_tensor(DType::f64, {3, 4, 5});
  const std::vector<std::vector<std::int64_t>> kept{{4, 5}, {3, 5}, {3, 4}, {1}};
  for (int axis = 0; axis < 4; ++axis) {
    const Owned y(DType::f64, kept[static_cast<std::size_t>(axis)]);
    std::vector<Quad> sums(static_cast<std::size_t>(y.elements), 0);
    for (std::int64_t i = 0; i < 60; ++i) {
      const std::int64_t a = i / 20, b = i / 5 % 4, c = i % 5;
      const std::int64_t to[] = {b * 5 + c, a * 5 + c, a * 4 + b, 0};
      sums[static_cast<std::size_t>(to[axis])] += x.at(i);
    }
    for (const double asked : {axis == 3 ? -1.0 : axis, axis == 3 ? -1.0 : axis - 3.0}) {
      const RealTruth truth = Call().with("x", x).out("y", y).scalar("axis", asked).real("reduce_sum", "y");
      for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_LT(ulps(truth.value[i], sums[i]), 1.0);
      EXPECT_EQ(truth.n, 60.0 / static_cast<double>(y.elements));
    }
  }
}

TEST(ReduceSum, KeepsWhatCancels) {
  const Owned x = tensor_of(DType::f64, {4}, {1e16, 1, -1e16, 0x1p-60}), y(DType::f64, {1});
  const RealTruth truth = Call().with("x", x).out("y", y).real("reduce_sum", "y");
  EXPECT_EQ(truth.value[0], 1.0);
  EXPECT_NEAR(truth.scale[0], 2e16 + 1, 2);
}

TEST(ReduceSum, IntegersAreExactOrOutsideTheDomain) {
  const Owned y(DType::i32, {1});
  const Owned fits = tensor_of(DType::i32, {3}, {2147483647, 5, -6});
  const auto truth = std::get<ExactTruth>(Call().with("x", fits).out("y", y).truth("reduce_sum", "y"));
  EXPECT_EQ(load_element(DType::i32, truth.bytes.data()), 2147483646.0);
  const Owned too_large = tensor_of(DType::i32, {2}, {2147483647, 1});
  EXPECT_NE(Call().with("x", too_large).out("y", y).refusal("reduce_sum").find("outside the domain"),
            std::string::npos);
  const Owned wide(DType::i64, {1});
  EXPECT_NO_THROW(Call().with("x", too_large).out("y", wide).truth("reduce_sum", "y"));
}

TEST(ReduceMax, PicksAnElementAndNanWins) {
  const Owned x = tensor_of(DType::f32, {2, 3}, {-1, -0.5, -2, 3, NAN, 9}), y(DType::f32, {2});
  const auto truth = std::get<ExactTruth>(Call().with("x", x).out("y", y).truth("reduce_max", "y"));
  EXPECT_EQ(load_element(DType::f32, truth.bytes.data()), -0.5);
  EXPECT_TRUE(std::isnan(load_element(DType::f32, truth.bytes.data() + 4)));
  const Owned empty(DType::f32, {2, 0});
  EXPECT_FALSE(Call().with("x", empty).out("y", y).refusal("reduce_max").empty());
}

TEST(Mean, DividesOnce) {
  const Owned x = random_tensor(DType::f32, {3, 7}), y(DType::f32, {3});
  const RealTruth truth = Call().with("x", x).out("y", y).real("mean", "y");
  for (std::int64_t r = 0; r < 3; ++r) {
    Quad sum = 0;
    for (std::int64_t i = 0; i < 7; ++i) sum += x.at(r * 7 + i);
    EXPECT_LT(ulps(truth.value[static_cast<std::size_t>(r)], sum / 7), 1.002);
  }
}

TEST(SegmentSum, AnySegmentsAgreeWithQuadPrecision) {
  rc::check("ragged, empty ones included", [] {
    const auto segments = *rc::gen::inRange<std::int64_t>(0, 8), d = *rc::gen::inRange<std::int64_t>(1, 5);
    std::vector<double> offsets{0};
    for (std::int64_t s = 0; s < segments; ++s) offsets.push_back(offsets.back() + *rc::gen::inRange(0, 6));
    const auto rows = static_cast<std::int64_t>(offsets.back());
    const Owned x = random_tensor(DType::f64, {rows, d}), y(DType::f64, {segments, d});
    const Owned off = tensor_of(DType::i32, {segments + 1}, offsets);
    const RealTruth truth = Call().with("x", x).with("offsets", off).out("y", y).real("segment_sum", "y");
    for (std::int64_t s = 0; s < segments; ++s) {
      for (std::int64_t j = 0; j < d; ++j) {
        Quad sum = 0;
        for (double r = offsets[static_cast<std::size_t>(s)]; r < offsets[static_cast<std::size_t>(s) + 1]; ++r) {
          sum += x.at(static_cast<std::int64_t>(r) * d + j);
        }
        RC_ASSERT(ulps(truth.value[static_cast<std::size_t>(s * d + j)], sum) < 1.0);
      }
    }
  });
}

TEST(SegmentSum, BadOffsetsAreSaid) {
  const Owned x(DType::f32, {4, 2}), y(DType::f32, {2, 2});
  const Owned down = tensor_of(DType::i64, {3}, {0, 3, 2}), far = tensor_of(DType::i64, {3}, {0, 3, 5}),
              few(DType::i64, {2});
  EXPECT_NE(Call().with("x", x).with("offsets", down).out("y", y).refusal("segment_sum").find("offsets[2] = 2"),
            std::string::npos);
  EXPECT_NE(Call().with("x", x).with("offsets", far).out("y", y).refusal("segment_sum").find("offsets[2] = 5"),
            std::string::npos);
  EXPECT_NE(Call().with("x", x).with("offsets", few).out("y", y).refusal("segment_sum").find("one element more"),
            std::string::npos);
}

TEST(Add, FloatsAndIntegers) {
  const Owned a = random_tensor(DType::f32, {50}, 1), b = random_tensor(DType::f32, {50}, 2), out(DType::f32, {50});
  const RealTruth truth = Call().with("a", a).with("b", b).out("out", out).real("add", "out");
  for (std::int64_t i = 0; i < 50; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_LT(ulps(truth.value[at], Quad(a.at(i)) + b.at(i)), 1.001);
    const auto honest = static_cast<float>(a.at(i)) + static_cast<float>(b.at(i));
    EXPECT_LE(std::fabs(honest - truth.value[at]), truth.n * 0x1p-24 * truth.scale[at] * (1 + 1e-7));
  }
  const Owned i8 = tensor_of(DType::i8, {2}, {100, -100}), small = tensor_of(DType::i8, {2}, {27, -28}),
              sum(DType::i8, {2});
  const auto exact = std::get<ExactTruth>(Call().with("a", i8).with("b", small).out("out", sum).truth("add", "out"));
  EXPECT_EQ(load_element(DType::i8, exact.bytes.data()), 127);
  EXPECT_NE(Call().with("a", i8).with("b", i8).out("out", sum).refusal("add").find("doesn't fit int8"),
            std::string::npos);
  EXPECT_EQ(Call().with("a", i8).with("b", a).out("out", sum).refusal("add"), "b is [50] but out is [2]");
}

struct Unary {
  const char* id;
  Quad (*f)(Quad);
  float (*honest)(float);
};

class Elementwise : public testing::TestWithParam<Unary> {};

TEST_P(Elementwise, AgreesWithQuadPrecisionAndAcquitsAnHonestFloatKernel) {
  const Unary& op = GetParam();
  for (const double spread : {0.1, 1.0, 8.0, 60.0}) {
    const Owned x = random_tensor(DType::f32, {400}, 3, spread), out(DType::f32, {400});
    const RealTruth truth = Call().with("x", x).out("out", out).real(op.id, "out");
    for (std::int64_t i = 0; i < 400; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Quad want = op.f(x.at(i));
      // Summing 1 and a number near -1 in long double leaves 2^-63 |x|.
      ASSERT_LE(static_cast<double>(fabsq(truth.value[at] - want)),
                static_cast<double>(fabsq(want)) * 0x1.1p-53 + 0x1p-62 * std::fabs(x.at(i)))
          << op.id << x.at(i);
      const double honest = op.honest(static_cast<float>(x.at(i)));
      ASSERT_LE(std::fabs(honest - truth.value[at]), truth.n * 0x1p-24 * truth.scale[at] + 0x1p-148)
          << op.id << " " << x.at(i);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Elementwise,
    testing::Values(
        Unary{"exp", [](Quad x) { return expq(x); }, [](float x) { return std::exp(x); }},
        Unary{"silu", [](Quad x) { return x / (1 + expq(-x)); }, [](float x) { return x / (1.0f + std::exp(-x)); }},
        Unary{"relu", [](Quad x) { return x > 0 ? x : Quad(0); }, [](float x) { return x > 0 ? x : 0.0f; }},
        Unary{"gelu", [](Quad x) { return x * erfcq(-x / sqrtq(2)) / 2; },
              [](float x) { return 0.5f * x * (1.0f + std::erf(x * 0.70710678f)); }},
        Unary{
            "gelu_tanh",
            [](Quad x) { return x / 2 * (1 + tanhq(sqrtq(2 / acosq(-1)) * (x + Quad(44715) / 1000000 * x * x * x))); },
            [](float x) { return 0.5f * x * (1.0f + std::tanh(0.79788456f * (x + 0.044715f * x * x * x))); }}),
    [](const auto& each) { return std::string(each.param.id); });

}  // namespace
}  // namespace assay
