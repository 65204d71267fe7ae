#include "judge/mutants.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "numerics/float_formats.h"

namespace assay {
namespace {

constexpr std::int64_t kRows = 20, kColumns = 24;

Bytes grid(double start) {
  Bytes bytes(kRows * kColumns * 4);
  for (std::size_t i = 0; i < kRows * kColumns; ++i) {
    store_element(DType::f32, bytes.data() + 4 * i, start + 1.0 / (1.0 + static_cast<double>(i)));
  }
  return bytes;
}

ConcreteTensor tensor() {
  ConcreteTensor tensor;
  tensor.shape = {kRows, kColumns};
  tensor.elements = kRows * kColumns;
  return tensor;
}

TEST(Mutants, TamedResultsHaveNoSpecialValues) {
  Bytes right = grid(1.0);
  const double specials[] = {NAN, INFINITY, -INFINITY, -0.0};
  for (std::size_t i = 0; i < 4; ++i) store_element(DType::f32, right.data() + 4 * i, specials[i]);
  const std::vector<Mutant> mutants = tamed_results(tensor(), DType::f32, right);
  ASSERT_EQ(mutants.size(), 2u);
  const auto at = [&](std::size_t mutant, std::size_t i) {
    return load_element(DType::f32, mutants[mutant].bytes.data() + 4 * i);
  };
  EXPECT_EQ(at(0, 0), 0.0);
  EXPECT_EQ(at(0, 1), INFINITY);
  EXPECT_TRUE(std::isnan(at(1, 0)));
  EXPECT_EQ(at(1, 1), std::numeric_limits<float>::max());
  EXPECT_EQ(at(1, 2), -std::numeric_limits<float>::max());
  EXPECT_EQ(at(1, 5), load_element(DType::f32, right.data() + 20));
}

TEST(Mutants, AreWrongEachInItsWay) {
  const Bytes right = grid(1.0);
  Random random(3);
  const std::vector<Mutant> mutants = mutants_of(tensor(), DType::f32, right, grid(2.0), random);
  std::set<std::string> groups;
  std::set<Bytes> different;
  for (const Mutant& mutant : mutants) {
    groups.insert(mutant.group);
    EXPECT_NE(mutant.bytes, right) << mutant.name;
    EXPECT_EQ(mutant.bytes.size(), right.size()) << mutant.name;
    EXPECT_TRUE(different.insert(mutant.bytes).second) << mutant.name;
  }
  EXPECT_EQ(groups, (std::set<std::string>{"null model", "lost work", "wrong place"}));
  EXPECT_EQ(mutants.size(), 13u);
}

TEST(Mutants, NarrowResultsAreThoseBelowThePromise) {
  const Bytes right = grid(1.0);
  EXPECT_EQ(narrowed_results(tensor(), DType::f32, right, 24).size(), 4u) << "11, 8, 4 and 3 bits";
  EXPECT_EQ(narrowed_results(tensor(), DType::f32, right, 11).size(), 3u);
  EXPECT_EQ(narrowed_results(tensor(), DType::f32, right, 8).size(), 2u);
}

}  // namespace
}  // namespace assay
