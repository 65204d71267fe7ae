#include <gtest/gtest.h>

#include <set>

#include "core/shape_family.h"
#include "core/tensor.h"

namespace assay {
namespace {

ShapeFamily family(std::string_view id) {
  for (const ShapeFamily& each : Registry<ShapeFamily>::all()) {
    if (each.id == id) return each;
  }
  throw std::out_of_range(std::string(id));
}

Contract two_axes(std::int64_t rows = 65536, std::int64_t columns = 16384) {
  Contract contract;
  contract.axes.push_back({"T", false, 0, rows, 1, {}});
  contract.axes.push_back({"H", false, 1, columns, 4, {}});
  Tensor x;
  x.name = "x";
  x.shape = {std::get<Expression>(Expression::parse("T")), std::get<Expression>(Expression::parse("H"))};
  contract.tensors = {x};
  return contract;
}

TEST(Families, AllStayInsideTheDomain) {
  const Contract contract = two_axes(1 << 30);
  for (const ShapeFamily& each : Registry<ShapeFamily>::all()) {
    Random random(7);
    const std::vector<AxisValues> shapes = each.draw(contract, random, 3);
    for (const AxisValues& axes : shapes) {
      EXPECT_EQ(outside_domain(contract, axes), "") << each.id << " " << to_string(axes);
    }
    EXPECT_EQ(shapes.empty(), each.id == "production") << each.id;
  }
}

TEST(Hidden, OtherSeedsGiveOtherShapesOfAllSizes) {
  const Contract contract = two_axes();
  std::set<AxisValues> seen;
  std::int64_t small = 0, large = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    for (const AxisValues& axes : family("hidden").draw(contract, random, 1)) {
      seen.insert(axes);
      small += axes.at("T") < 16;
      large += axes.at("T") > 1024;
    }
  }
  EXPECT_GT(seen.size(), 150u);
  EXPECT_GT(small, 20);
  EXPECT_GT(large, 20);
}

TEST(Hidden, ProposesSmallerShapesOnly) {
  const Contract contract = two_axes();
  const AxisValues now{{"T", 1000}, {"H", 512}};
  const std::vector<AxisValues> smaller = family("hidden").smaller(contract, now);
  ASSERT_FALSE(smaller.empty());
  EXPECT_EQ(smaller.front(), (AxisValues{{"T", 0}, {"H", 512}}));
  for (const AxisValues& axes : smaller) {
    EXPECT_LE(axes.at("T"), 1000);
    EXPECT_LE(axes.at("H"), 512);
    EXPECT_NE(axes, now);
    EXPECT_EQ(outside_domain(contract, axes), "");
  }
  EXPECT_TRUE(family("hidden").smaller(contract, {{"T", 0}, {"H", 4}}).empty());
}

TEST(Huge, IsJustBeyondTheLimit) {
  Contract contract = two_axes(1 << 30);
  contract.shapes = {{{{"T", 1}, {"H", 1024}}, 1.0}};
  Random random(1);
  std::set<std::int64_t> rows;
  for (const AxisValues& axes : family("huge").draw(contract, random, 1)) rows.insert(axes.at("T"));
  // 2^31 bytes are 2^29 floats, and rows have 1024 of them.
  EXPECT_EQ(rows, (std::set<std::int64_t>{(1 << 19) + 1, (1 << 21) + 1}));
  EXPECT_TRUE(family("huge").draw(two_axes(1000, 1000), random, 1).empty());
}

TEST(HeldBack, OneFamilyIsForDeepAlone) {
  EXPECT_EQ(family("corners").from, Depth::deep);
  EXPECT_EQ(family("hidden").from, Depth::quick);
}

}  // namespace
}  // namespace assay
