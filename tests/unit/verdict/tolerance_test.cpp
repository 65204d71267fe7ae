#include "verdict/tolerance.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "numerics/float_formats.h"
#include "numerics/philox.h"

namespace assay {
namespace {

struct Floats {
  std::vector<std::int64_t> shape, strides{1};
  std::vector<float> data;
  explicit Floats(std::vector<float> values)
      : shape{static_cast<std::int64_t>(values.size())}, data(std::move(values)) {}
  ConstTensorView view() const {
    return {DType::f32, shape, strides, shape[0], true, reinterpret_cast<const std::byte*>(data.data())};
  }
};

Contract contract_of(DType in = DType::f32, Precision precision = Precision::f32,
                     Precision accumulate = Precision::f32) {
  Contract c;
  c.tensors.push_back(
      {.name = "x", .role = Role::in, .dtype = in, .shape = {}, .strides = {}, .values = {}, .range = {}});
  c.numerics.precision = precision;
  c.numerics.accumulate = accumulate;
  return c;
}

Tensor output(DType dtype = DType::f32) {
  return {.name = "y", .role = Role::out, .dtype = dtype, .shape = {}, .strides = {}, .values = {}, .range = {}};
}

template <class Outcome>
bool is(const Judgement& j) {
  return std::holds_alternative<Outcome>(j);
}

TEST(Bounds, FollowTheirFormulas) {
  EXPECT_DOUBLE_EQ(gamma(100, 0x1p-24), 100 * 0x1p-24 / (1 - 100 * 0x1p-24));
  EXPECT_TRUE(std::isinf(gamma(256, 0x1p-8)));
  EXPECT_NEAR(gamma_probabilistic(4096, 0x1p-24, 4) / (4 * 64 * 0x1p-24), 1.0, 1e-4);
  EXPECT_NEAR(lambda_for(3000, 1e-3), std::sqrt(2 * std::log(6e6)), 1e-12);
  // The λ of m outputs makes the union bound what was asked for.
  const double lambda = lambda_for(1e6, 1e-3);
  EXPECT_NEAR(1e6 * 2 * std::exp(-lambda * lambda / 2), 1e-3, 1e-9);
  EXPECT_EQ(unit_roundoff(Precision::tf32), 0x1p-11);
  EXPECT_EQ(unit_roundoff(Precision::bits), 0.0);
}

TEST(Bounds, ACorrectlyRoundedSumNeverExceedsThem) {
  rc::check("any order of magnitude, any length", [] {
    const auto n = *rc::gen::inRange<std::size_t>(1, 400);
    StreamReader random(derive_key(Seed{}, *rc::gen::arbitrary<std::uint64_t>(), "sum"));
    double exact = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = static_cast<float>((random.unit() - 0.5) * std::ldexp(1.0, static_cast<int>(random.below(20))));
      exact += x;
      size += std::fabs(x);
    }
    const Floats y({static_cast<float>(exact)});
    const Truth truth = RealTruth{{exact}, {size}, static_cast<double>(n)};
    const Tolerance t = tolerance_for(contract_of(), output(), truth, 1);
    RC_ASSERT(is<Within>(judge_profile(t, compare_under(t, y.view(), truth, {}))));
  });
}

struct Dot {
  Truth truth;
  std::vector<float> sequential, tf32, bf16_out, skipped;
};

/// NUMERICS.md "What misses a downgrade": dot products of n normal numbers.
Dot dots(std::size_t outputs, std::size_t n, std::uint64_t key) {
  StreamReader random(derive_key(Seed{}, key, "dots"));
  RealTruth truth{{}, {}, static_cast<double>(n)};
  Dot d;
  const auto tf32 = [](double v) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(v)) + 0x1000u;
    return static_cast<double>(std::bit_cast<float>(bits & 0xffffe000u));
  };
  const auto normal = [&] {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += random.unit();
    return static_cast<float>(sum - 6);
  };
  for (std::size_t o = 0; o < outputs; ++o) {
    double exact = 0, size = 0;
    float honest = 0, rounded = 0, skipped = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const float x = normal(), y = normal();
      exact += static_cast<double>(x) * y;
      size += std::fabs(static_cast<double>(x) * y);
      honest += x * y;
      rounded += static_cast<float>(tf32(x) * tf32(y));
      if (i >= n / 100) skipped += x * y;
    }
    truth.value.push_back(exact);
    truth.scale.push_back(size);
    d.sequential.push_back(honest);
    d.tf32.push_back(rounded);
    d.skipped.push_back(skipped);
    d.bf16_out.push_back(static_cast<float>(round_to(DType::bf16, honest)));
  }
  d.truth = std::move(truth);
  return d;
}

TEST(Legs, ConvictEveryDowngradeAndAcquitAnHonestSum) {
  const Dot d = dots(300, 1024, 1);
  const Tolerance t = tolerance_for(contract_of(), output(), d.truth, 300);
  const auto judge = [&](const std::vector<float>& values) {
    return judge_profile(t, compare_under(t, Floats(values).view(), d.truth, {}));
  };
  EXPECT_TRUE(is<Within>(judge(d.sequential)));
  for (const auto* cheat : {&d.tf32, &d.bf16_out, &d.skipped}) {
    const Judgement j = judge(*cheat);
    ASSERT_TRUE(is<Beyond>(j));
    EXPECT_EQ(std::get<Beyond>(j).leg, Leg::bound);
    EXPECT_GT(std::get<Beyond>(j).observed, t.limit);
  }
  // Without mixed signs the bound is γₙ, which is known to miss TF32.
  const Tolerance loose = tolerance_for(contract_of(), output(), d.truth, 300, TruthFrom::oracle, ErrorSigns::any);
  EXPECT_GT(loose.limit, 1023);
  EXPECT_TRUE(is<Within>(judge_profile(loose, compare_under(loose, Floats(d.tf32).view(), d.truth, {}))));
}

TEST(Legs, ATf32ContractAllowsTf32) {
  const Dot d = dots(300, 1024, 2);
  const Tolerance t = tolerance_for(contract_of(DType::f32, Precision::tf32, Precision::f32), output(), d.truth, 300);
  EXPECT_TRUE(is<Within>(judge_profile(t, compare_under(t, Floats(d.tf32).view(), d.truth, {}))));
  EXPECT_TRUE(is<Beyond>(judge_profile(t, compare_under(t, Floats(d.skipped).view(), d.truth, {}))));
  // Inputs that have the promised precision already are exact: no allowance for rounding them.
  const Tolerance exact_inputs =
      tolerance_for(contract_of(DType::f16, Precision::f16), output(DType::f16), d.truth, 300);
  const Tolerance wide_inputs =
      tolerance_for(contract_of(DType::f32, Precision::f16), output(DType::f16), d.truth, 300);
  EXPECT_NEAR(wide_inputs.limit - exact_inputs.limit, 2.0, 1e-12);
}

TEST(Legs, CalibrationIsANoteOnly) {
  const Dot d = dots(300, 4096, 3);
  const Tolerance t = tolerance_for(contract_of(), output(), d.truth, 300);
  const ErrorProfile honest = compare_under(t, Floats(d.sequential).view(), d.truth, {});
  const ErrorProfile cheat = compare_under(t, Floats(d.bf16_out).view(), d.truth, {});
  EXPECT_TRUE(std::holds_alternative<AsGood>(calibrate(t, honest, honest)));
  ASSERT_TRUE(std::holds_alternative<Worse>(calibrate(t, cheat, honest)));
  EXPECT_NEAR(std::get<Worse>(calibrate(t, cheat, honest)).limit, std::max(4 * honest.scaled.rms, 16.0), 1e-9);
}

TEST(Legs, OutputRoundingAndUnderflowAreNotErrors) {
  const std::vector<double> truths{1.0 + 0x1p-9, 3.1415926, 1e-39, 1e-46};
  const Truth truth = RealTruth{truths, {1.0 + 0x1p-9, 3.1415926, 1e-39, 1e-46}, 1.0};
  std::vector<float> narrow, plain, flushed;
  for (const double v : truths) {
    narrow.push_back(static_cast<float>(round_to(DType::bf16, v)));
    plain.push_back(static_cast<float>(v));
    flushed.push_back(v < 0x1p-126 ? 0.0f : static_cast<float>(v));
  }
  const auto judge = [&](const Contract& c, DType out, const std::vector<float>& values) {
    const Tolerance t = tolerance_for(c, output(out), truth, 4);
    return judge_profile(t, compare_under(t, Floats(values).view(), truth, {}));
  };
  EXPECT_TRUE(is<Within>(judge(contract_of(), DType::f32, plain)));
  EXPECT_TRUE(is<Beyond>(judge(contract_of(), DType::f32, narrow)));
  EXPECT_TRUE(is<Within>(judge(contract_of(), DType::bf16, narrow)));
  EXPECT_TRUE(is<Beyond>(judge(contract_of(), DType::f32, flushed)));
  Contract flushing = contract_of();
  flushing.numerics.denormals = Denormals::flush;
  EXPECT_TRUE(is<Within>(judge(flushing, DType::f32, flushed)));
}

TEST(Legs, ClassesAndUnwrittenComeFirst) {
  const Truth truth = RealTruth{{1, 2}, {1, 2}, 1.0};
  const Tolerance t = tolerance_for(contract_of(), output(), truth, 2);
  Floats y({NAN, 100});
  Judgement j = judge_profile(t, compare_under(t, y.view(), truth, {}));
  ASSERT_TRUE(is<Beyond>(j));
  EXPECT_EQ(std::get<Beyond>(j).leg, Leg::classes);
  const PoisonSpec poison{Poison::quiet_nan, derive_key(Seed{}, 1, "p")};
  fill_poison(std::as_writable_bytes(std::span(y.data)), poison, DType::f32);
  j = judge_profile(t, compare_under(t, y.view(), truth, poison));
  EXPECT_EQ(std::get<Beyond>(j).leg, Leg::written);
  EXPECT_EQ(std::get<Beyond>(j).message, "2 of 2 elements were never written");
  EXPECT_EQ(name_of(Leg::max_error), "max-error");
}

TEST(Legs, ExactRoundsARealTruthToTheType) {
  const Truth truth = RealTruth{{0.1, 3}, {0.1, 3}, 4.0};
  const Contract c = contract_of(DType::f32, Precision::exact, Precision::exact);
  const Tolerance t = tolerance_for(c, output(), truth, 2);
  EXPECT_TRUE(is<Within>(judge_profile(t, compare_under(t, Floats({0.1f, 3}).view(), truth, {}))));
  const Judgement j = judge_profile(t, compare_under(t, Floats({0.1f, std::nextafterf(3, 4)}).view(), truth, {}));
  ASSERT_TRUE(is<Beyond>(j));
  EXPECT_EQ(std::get<Beyond>(j).leg, Leg::exact);
  EXPECT_EQ(std::get<Beyond>(j).index, 1);
}

TEST(Legs, AllcloseDecidesByItsBandAlone) {
  Contract c = contract_of();
  c.numerics.policy = Policy::allclose;
  c.numerics.rtol = 1e-2;
  c.numerics.matched = 0.5;
  const Truth truth = RealTruth{{1, 1}, {1, 1}, 1.0};
  Tolerance t = tolerance_for(c, output(), truth, 2);
  EXPECT_TRUE(is<Within>(judge_profile(t, compare_under(t, Floats({1.005f, 1.5f}).view(), truth, {}))));
  EXPECT_TRUE(is<Beyond>(judge_profile(t, compare_under(t, Floats({1.02f, 1.5f}).view(), truth, {}))));
  c.numerics.max_error = 0.4;
  t = tolerance_for(c, output(), truth, 2);
  const Judgement j = judge_profile(t, compare_under(t, Floats({1.005f, 1.5f}).view(), truth, {}));
  ASSERT_TRUE(is<Beyond>(j));
  EXPECT_EQ(std::get<Beyond>(j).leg, Leg::max_error);
}

TEST(Legs, NothingMeasuredIsNoPass) {
  const Truth truth = RealTruth{{}, {}, 1.0};
  const Tolerance t = tolerance_for(contract_of(), output(), truth, 0);
  EXPECT_TRUE(is<NothingMeasured>(judge_profile(t, compare_under(t, Floats({}).view(), truth, {}))));
}

}  // namespace
}  // namespace assay
