#include "verdict/published.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "numerics/float_formats.h"

namespace assay {
namespace {

const PublishedRule& rule(std::string_view name) {
  const auto rules = published_rules();
  return *std::find_if(rules.begin(), rules.end(), [&](const PublishedRule& r) { return r.name == name; });
}

struct Result {
  std::vector<float> data;
  std::vector<std::int64_t> shape, strides{1};
  explicit Result(std::vector<float> values) : data(std::move(values)), shape{static_cast<std::int64_t>(data.size())} {}
  ConstTensorView view() const {
    return {DType::f32, shape, strides, shape[0], true, reinterpret_cast<const std::byte*>(data.data())};
  }
};

bool takes(std::string_view name, std::vector<float> actual, std::vector<float> expected) {
  return accepts(rule(name), Result(std::move(actual)).view(), Result(std::move(expected)).view());
}

TEST(Published, KernelBenchAddsTheTwoTolerances) {
  EXPECT_TRUE(takes("KernelBench", {1.00019f}, {1.0f}));
  EXPECT_FALSE(takes("KernelBench", {1.00021f}, {1.0f}));
  EXPECT_TRUE(takes("CUDA Agent", {1.0199f}, {1.0f}));
  EXPECT_FALSE(takes("CUDA Agent", {1.0201f}, {1.0f}));
}

TEST(Published, FlashinferBenchRefusesOnlyWhatMissesBoth) {
  EXPECT_TRUE(takes("flashinfer-bench", {100.9f}, {100.0f})) << "relative alone";
  EXPECT_TRUE(takes("flashinfer-bench", {0.009f}, {0.0f})) << "absolute alone";
  EXPECT_FALSE(takes("flashinfer-bench", {1.0150f}, {1.0f})) << "inside the sum of both, outside each";
}

TEST(Published, SolExecBenchForgivesOneInAHundredButNoZerosAndNothingThatIsNotFinite) {
  std::vector<float> expected(200, 1.0f), two = expected, three = expected;
  two[0] = two[1] = 7.0f;
  three[0] = three[1] = three[2] = 7.0f;
  EXPECT_TRUE(takes("SOL-ExecBench", two, expected));
  EXPECT_FALSE(takes("SOL-ExecBench", three, expected));
  EXPECT_FALSE(takes("SOL-ExecBench", {0.0f, 0.0f}, {0.0f, 0.0f}));
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(takes("SOL-ExecBench", {1.0f, infinity}, {1.0f, infinity}));
  EXPECT_TRUE(takes("KernelBench", {1.0f, infinity}, {1.0f, infinity}));
}

TEST(Published, NaNIsNoWildcard) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const PublishedRule& each : published_rules()) {
    EXPECT_FALSE(accepts(each, Result({nan}).view(), Result({1.0f}).view())) << each.name;
    EXPECT_FALSE(accepts(each, Result({1.0f}).view(), Result({nan}).view())) << each.name;
    EXPECT_TRUE(accepts(each, Result({1.0f}).view(), Result({1.0f}).view())) << each.name;
  }
}

TEST(Published, NarrowTypesGetTheirOwnTolerance) {
  const auto bf16 = [](double value) {
    std::vector<std::byte> bytes(2);
    store_element(DType::bf16, bytes.data(), value);
    return bytes;
  };
  const std::vector<std::byte> one = bf16(1.0), next = bf16(1.0078125);
  const std::vector<std::int64_t> shape{1}, strides{1};
  const auto view = [&](const std::vector<std::byte>& bytes) {
    return ConstTensorView{DType::bf16, shape, strides, 1, true, bytes.data()};
  };
  EXPECT_TRUE(accepts(rule("KernelBench"), view(next), view(one)));
  EXPECT_FALSE(takes("KernelBench", {1.0078125f}, {1.0f}));
}

}  // namespace
}  // namespace assay
