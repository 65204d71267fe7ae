#include "timing/physics.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace assay::timing {
namespace {

constexpr Roof kRoof{10e9, 100e9, PeakSource::measured};
constexpr BytesCount kAll{true, true};

Standing standing(const Cost& cost, double time_s, double empty_s = 0.0, const BytesCount& counts = kAll) {
  return std::get<Standing>(stand(cost, kRoof, counts, time_s, empty_s));
}

TEST(Physics, FloorIsTheLargerOfBothRoofs) {
  const Standing memory = standing({1e6, 1e6}, 150e-6);  // 100 us of bytes, 10 us of arithmetic
  EXPECT_NEAR(memory.floor_s, 100e-6, 1e-15);
  EXPECT_NEAR(memory.share, 2.0 / 3.0, 1e-12);
  EXPECT_NEAR(memory.headroom, 1.5, 1e-12);
  EXPECT_NEAR(memory.bytes_per_s, 1e6 / 150e-6, 1.0);
  EXPECT_EQ(name_of(memory.kind), "memory-bound");
  EXPECT_TRUE(memory.memory_limits);
  const Standing compute = standing({1e5, 1e7}, 120e-6);  // 10 us of bytes, 100 us of arithmetic
  EXPECT_EQ(name_of(compute.kind), "compute-bound");
  EXPECT_NEAR(compute.flops_per_s, 1e7 / 120e-6, 1.0);
}

TEST(Physics, SlowOrShortCallsAreBoundByNeitherRoof) {
  EXPECT_EQ(name_of(standing({1e6, 0.0}, 200e-6).kind), "underutilised");
  EXPECT_EQ(name_of(standing({1e6, 0.0}, 150e-6, 120e-6).kind), "call-bound");
}

TEST(Physics, BytesCountOnlyWhereTheyMustMove) {
  const Standing hot = standing({1e6, 1e6}, 150e-6, 0.0, {true, false});
  EXPECT_NEAR(hot.floor_s, 10e-6, 1e-15);
  EXPECT_FALSE(hot.memory_limits);
  EXPECT_TRUE(std::holds_alternative<NoFloor>(stand({1e6, 1e6}, kRoof, {false, true}, 1e-4, 0.0)));
  EXPECT_TRUE(std::holds_alternative<NoFloor>(stand({1e6, 0.0}, kRoof, {true, false}, 1e-4, 0.0)));
}

TEST(Physics, NothingKnownIsNoFloor) {
  EXPECT_TRUE(std::holds_alternative<NoFloor>(stand({0.0, 0.0}, kRoof, kAll, 1e-4, 0.0)));
  EXPECT_TRUE(std::holds_alternative<NoFloor>(stand({1e6, 1e6}, {}, kAll, 1e-4, 0.0)));
  EXPECT_THROW(stand({1e6, 1e6}, kRoof, kAll, 0.0, 0.0), Error);
}

TEST(Physics, ImpossibleTimesAreErrorsOnlyAgainstPublishedPeaks) {
  const Standing s = standing({1e6, 0.0}, 50e-6);
  EXPECT_EQ(std::get<Impossible>(check_floor(s, PeakSource::published, 99e-6)).severity, Severity::error);
  EXPECT_TRUE(std::holds_alternative<Possible>(check_floor(s, PeakSource::published, 101e-6)));
  EXPECT_EQ(std::get<Impossible>(check_floor(s, PeakSource::measured, 89e-6)).severity, Severity::note);
  EXPECT_TRUE(std::holds_alternative<Possible>(check_floor(s, PeakSource::measured, 91e-6)));
}

}  // namespace
}  // namespace assay::timing
