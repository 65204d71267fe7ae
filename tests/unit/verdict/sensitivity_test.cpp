#include "verdict/sensitivity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/philox.h"
#include "verdict/tolerance.h"

namespace assay {
namespace {

constexpr std::size_t kOutputs = 200, kN = 1024;

struct DotRun {
  std::vector<std::int64_t> shape{kOutputs}, strides{1};
  std::vector<float> y;
  ConstTensorView view() const {
    return {DType::f32, shape,
            strides,    static_cast<std::int64_t>(kOutputs),
            true,       reinterpret_cast<const std::byte*>(y.data())};
  }
};

float nudged(float v, std::uint32_t up) {
  return std::nextafterf(v, up & 1 ? INFINITY : -INFINITY);
}

/// Dot products of the same inputs: `nudge` 0 leaves them alone; `narrow` rounds them to 8 bits as bfloat16 does (TF32
/// hides in a sensitivity that is measured: an oracle's scale is needed to see it); `blocked` sums in another order.
DotRun dots(std::uint64_t nudge, bool narrow = false, bool blocked = false) {
  StreamReader values(derive_key(Seed{}, 1, "values")), signs(derive_key(Seed{}, nudge, "signs"));
  const auto draw = [&] {
    auto v = static_cast<float>(values.unit() * 4 - 2);
    if (nudge > 0) v = nudged(v, signs.next());
    if (narrow) v = std::bit_cast<float>((std::bit_cast<std::uint32_t>(v) + 0x8000u) & 0xffff0000u);
    return v;
  };
  DotRun run;
  for (std::size_t o = 0; o < kOutputs; ++o) {
    float sums[8] = {};
    for (std::size_t i = 0; i < kN; ++i) {
      const float a = draw(), b = draw();
      sums[blocked ? i % 8 : 0] += a * b;
    }
    run.y.push_back(((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7])));
  }
  return run;
}

/// An output that cancels whatever the inputs are, in a reference that sums wider than it returns.
TEST(Sensitivity, AnOutputThatNoInputMovesTakesTheScaleOfItsRow) {
  DotRun reference = dots(0);
  reference.y[7] = 1e-17f;
  std::vector<DotRun> runs;
  for (std::uint64_t k = 1; k <= kNudgedRuns; ++k) {
    runs.push_back(dots(k));
    runs.back().y[7] = 1e-17f;
  }
  std::vector<ConstTensorView> views;
  for (const DotRun& run : runs) views.push_back(run.view());
  const RealTruth truth = truth_from_reference(reference.view(), views, kN, 0x1p-24);
  double sum = 0.0;
  for (const double scale : truth.scale) sum += scale * scale;
  const double rms = std::sqrt(sum / kOutputs);
  EXPECT_NEAR(truth.scale[7], rms / 16, rms / 1000);
  EXPECT_EQ(truth.value[7], static_cast<double>(1e-17f)) << "the value stays what it is";
  EXPECT_GT(truth.scale[6], rms / 16) << "others keep their own";
}

TEST(Sensitivity, ReferenceAsTruthAcquitsAnotherOrderAndConvictsADowngrade) {
  const DotRun reference = dots(0);
  std::vector<DotRun> runs;
  for (std::uint64_t k = 1; k <= kNudgedRuns; ++k) runs.push_back(dots(k));
  std::vector<ConstTensorView> views;
  for (const DotRun& run : runs) views.push_back(run.view());
  const Truth truth = truth_from_reference(reference.view(), views, kN, 0x1p-24);
  Contract contract;
  contract.tensors.push_back(
      {.name = "y", .role = Role::out, .dtype = DType::f32, .shape = {}, .strides = {}, .values = {}, .range = {}});
  const Tolerance t = tolerance_for(contract, contract.tensors[0], truth, kOutputs, TruthFrom::reference);
  const auto judge = [&](const DotRun& run) { return judge_profile(t, compare_under(t, run.view(), truth, {})); };
  EXPECT_TRUE(std::holds_alternative<Within>(judge(dots(0, false, true))));
  DotRun wrong = reference;
  wrong.y[7] += 0.1f;
  EXPECT_TRUE(std::holds_alternative<Beyond>(judge(wrong)));
  DotRun narrow = dots(0, true);
  EXPECT_TRUE(std::holds_alternative<Beyond>(judge(narrow)));
}

TEST(Sensitivity, ScaleIsNeverBelowTheValue) {
  const DotRun reference = dots(0);
  const RealTruth truth = truth_from_reference(reference.view(), {}, 16, 0x1p-24);
  for (std::size_t i = 0; i < kOutputs; ++i) EXPECT_EQ(truth.scale[i], std::fabs(reference.y[i]));
}

Contract shaped(const std::vector<std::pair<std::string, std::vector<std::string>>>& tensors) {
  Contract contract;
  for (const char* name : {"M", "N", "K"}) contract.axes.push_back({.name = name, .min = 0, .max = 4096, .values = {}});
  for (const auto& [name, shape] : tensors) {
    Tensor t;
    t.name = name;
    t.role = name == "y" ? Role::out : Role::in;
    for (const std::string& e : shape) t.shape.push_back(std::get<Expression>(Expression::parse(e)));
    contract.tensors.push_back(t);
  }
  return contract;
}

double reduction(const Contract& contract, std::size_t output) {
  const auto shape = concretise(contract, {{"M", 3}, {"N", 5}, {"K", 700}});
  return longest_reduction(contract, std::get<ConcreteShape>(shape), output);
}

TEST(Sensitivity, LongestReductionIsReadFromTheShapes) {
  EXPECT_EQ(reduction(shaped({{"a", {"M", "K"}}, {"b", {"K", "N"}}, {"y", {"M", "N"}}}), 2), 700);
  EXPECT_EQ(reduction(shaped({{"x", {"M", "K"}}, {"y", {"M", "K"}}}), 1), 700);  // a norm
  EXPECT_EQ(reduction(shaped({{"x", {"M", "K", "N"}}, {"y", {"1"}}}), 1), 3 * 700 * 5);
}

}  // namespace
}  // namespace assay
