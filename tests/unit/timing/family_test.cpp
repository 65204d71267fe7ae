#include "timing/family.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::timing {
namespace {

std::vector<double> around(double ratio, int n) {
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back(std::log(ratio) + 1e-4 * (i - n / 2));
  return values;
}

TEST(Family, SaysOfEachShapeWhatItIs) {
  const std::vector<std::vector<double>> shapes{around(1.3, 9), around(0.8, 9), around(1.0, 9)};
  const std::vector<FamilyEffect> effects = decide_family(shapes, 0.02, 0.05);
  EXPECT_EQ(name_of(effects[0].effect), "faster");
  EXPECT_EQ(name_of(effects[1].effect), "slower");
  EXPECT_EQ(name_of(effects[2].effect), "equivalent");
}

TEST(Family, OneShapeTakesSixProcessesAndTwoTakeSeven) {
  EXPECT_EQ(name_of(decide_family(std::vector<std::vector<double>>{around(1.3, 6)}, 0.02, 0.05)[0].effect), "faster");
  const std::vector<std::vector<double>> six{around(1.3, 6), around(1.2, 6)}, seven{around(1.3, 7), around(1.2, 7)};
  EXPECT_EQ(name_of(decide_family(six, 0.02, 0.05)[0].effect), "inconclusive");
  EXPECT_EQ(name_of(decide_family(seven, 0.02, 0.05)[0].effect), "faster");
}

TEST(Family, InsideDeltaIsNotFaster) {
  EXPECT_EQ(name_of(decide_family(std::vector<std::vector<double>>{around(1.015, 9)}, 0.02, 0.05)[0].effect),
            "equivalent");
}

TEST(Family, AShapeWithoutTimesIsLeftOpen) {
  const std::vector<std::vector<double>> shapes{{}, around(1.3, 9)};
  EXPECT_EQ(name_of(decide_family(shapes, 0.02, 0.05)[0].effect), "inconclusive");
  EXPECT_EQ(name_of(decide_family(shapes, 0.02, 0.05)[1].effect), "faster");
}

}  // namespace
}  // namespace assay::timing
