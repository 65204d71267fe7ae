#include "downgrades.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using namespace downgrades;

TEST(Downgrades, NoneIsMissedAndNoHonestOrderOfSummationIsAccused) {
  for (const std::size_t n : {64u, 512u}) {
    for (const auto& [data, name] : kData) {
      const std::vector<Convictions> all = Bench(n, data).examine();
      for (std::size_t k = 0; k < all.size(); ++k) {
        EXPECT_EQ(all[k].any(), !kRowsOfTable[k].honest) << kRowsOfTable[k].name << ", " << name << ", n = " << n;
      }
    }
  }
}

RealTruth truth_of(const std::vector<double>& values) {
  RealTruth truth;
  truth.value = values;
  for (const double value : values) truth.scale.push_back(std::fabs(value));
  return truth;
}

struct Seen {
  std::vector<float> data;
  std::vector<std::int64_t> shape, strides{1};
  explicit Seen(std::vector<float> values) : data(std::move(values)), shape{static_cast<std::int64_t>(data.size())} {}
  ConstTensorView view() const {
    return {DType::f32, shape, strides, shape[0], true, reinterpret_cast<const std::byte*>(data.data())};
  }
};

TEST(Exactness, DecidesOnlyWhereEveryOrderIsExact) {
  const RealTruth truth = truth_of({3.0, 4194304.0, 9000000.0, 0.25, 0.0});
  EXPECT_FALSE(judge_exactness(Seen({3.0f, 4194304.0f, 9000001.0f, 0.5f, -0.0f}).view(), truth, 0, 24))
      << "beyond the accumulator, between the multiples, and zeros of either sign";
  const auto wrong = judge_exactness(Seen({3.0f, 4194305.0f, 9000000.0f, 0.25f, 0.0f}).view(), truth, 0, 24);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->index, 1);
  EXPECT_EQ(wrong->leg, Leg::exact);
  EXPECT_TRUE(judge_exactness(Seen({3.0f, 4194304.0f, 9000000.0f, 0.5f, 0.0f}).view(), truth, 2, 24));
}

ErrorProfile profile(double worst_block, double mean) {
  ErrorProfile p;
  p.elements = p.measured = 4096;
  p.blocks = 16;
  p.median_block_rms = 1.0;
  p.worst_blocks = {{256, worst_block, worst_block}};
  p.scaled.max = worst_block;
  p.mean_signed_rho = mean;
  return p;
}

TEST(Distribution, OneBadBlockAndALeanAreFaultsWithinTheBound) {
  Tolerance t;
  t.limit = 100.0;
  EXPECT_FALSE(judge_distribution(t, profile(9.0, 0.0))) << "loud among its like, and quiet all the same";
  const auto local = judge_distribution(t, profile(40.0, 0.0));
  ASSERT_TRUE(local);
  EXPECT_EQ(local->leg, Leg::localised);
  EXPECT_EQ(local->index, 256);
  const auto lean = judge_distribution(t, profile(5.0, -30.0));
  ASSERT_TRUE(lean);
  EXPECT_EQ(lean->leg, Leg::biased);
  EXPECT_FALSE(judge_distribution(t, profile(5.0, -20.0)));
  EXPECT_FALSE(judge_distribution(t, profile(400.0, -300.0))) << "excused by underflow: errors say nothing";
}

}  // namespace
}  // namespace assay
