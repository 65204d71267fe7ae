#include "core/arguments.h"

#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

TEST(Arguments, IntegerTypesHoldTheirRangeAndNothingElse) {
  struct Row {
    CType type;
    std::int64_t low, high;
  };
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr Row kRows[] = {
      {CType::i8, -128, 127},
      {CType::u8, 0, 255},
      {CType::i16, -32768, 32767},
      {CType::u16, 0, 65535},
      {CType::i32, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()},
      {CType::u32, 0, std::numeric_limits<std::uint32_t>::max()},
      {CType::i64, kMin, kMax},
      {CType::u64, 0, kMax}};
  for (const Row& row : kRows) {
    EXPECT_TRUE(is_integer(row.type)) << name_of(row.type);
    EXPECT_TRUE(integer_fits(row.type, row.low) && integer_fits(row.type, row.high)) << name_of(row.type);
    EXPECT_TRUE(row.low == kMin || !integer_fits(row.type, row.low - 1)) << name_of(row.type);
    EXPECT_TRUE(row.high == kMax || !integer_fits(row.type, row.high + 1)) << name_of(row.type);
  }
  for (CType type : {CType::f32, CType::f64, CType::boolean, CType::pointer}) {
    EXPECT_FALSE(is_integer(type) || integer_fits(type, 0)) << name_of(type);
  }
}

}  // namespace
}  // namespace assay
