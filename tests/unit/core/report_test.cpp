#include "core/report.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

NumericsRow row(const std::string& subject, double max_rho) {
  NumericsRow row;
  row.subject = subject;
  row.tensor = "y";
  row.elements = 100;
  row.max_rho = max_rho;
  return row;
}

TEST(Sweep, FallsFromOneToNothing) {
  NumericsRow errors = row("candidate", 3.0);
  errors.octaves = {{-2, 60}, {1, 10}};
  const std::vector<SweepPoint> sweep = sweep_of(errors);
  ASSERT_EQ(sweep.size(), 5u);
  EXPECT_EQ(sweep[0].k, -2);
  EXPECT_DOUBLE_EQ(sweep[0].outside, 0.7);
  EXPECT_EQ(sweep[1].k, -1);
  EXPECT_DOUBLE_EQ(sweep[1].outside, 0.1);
  EXPECT_DOUBLE_EQ(sweep[3].outside, 0.1);
  EXPECT_EQ(sweep[4].k, 2);
  EXPECT_EQ(sweep[4].outside, 0.0);
  EXPECT_TRUE(sweep_of(row("candidate", 0.0)).empty());
}

TEST(Sweep, GapIsInBitsAndNeedsBothSides) {
  EXPECT_DOUBLE_EQ(*gap_bits({row("candidate", 64.0), row("reference", 2.0)}, "y"), 5.0);
  EXPECT_DOUBLE_EQ(*gap_bits({row("candidate", 1.0), row("reference", 2.0)}, "y"), -1.0);
  EXPECT_FALSE(gap_bits({row("candidate", 1.0)}, "y"));
  EXPECT_FALSE(gap_bits({row("candidate", 1.0), row("reference", 0.0)}, "y"));
}

}  // namespace
}  // namespace assay
