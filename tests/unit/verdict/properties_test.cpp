#include "verdict/properties.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

Contract contract_of(Precision precision) {
  Contract c;
  c.numerics.precision = precision;
  return c;
}

Tensor output_of(DType dtype) {
  return {.name = "q", .role = Role::out, .dtype = dtype, .shape = {}, .strides = {}, .values = {}, .range = {}};
}

Property property_of(double residual, double roundings) {
  return {"q", "it is right", residual, roundings, 100, 7};
}

TEST(Properties, ExactOnesAllowNothing) {
  const Contract c = contract_of(Precision::f32);
  EXPECT_TRUE(std::holds_alternative<Within>(judge_property(c, output_of(DType::f32), property_of(0.0, 0.0))));
  const Judgement judged = judge_property(c, output_of(DType::f32), property_of(3.0, 0.0));
  ASSERT_TRUE(std::holds_alternative<Beyond>(judged));
  EXPECT_EQ(std::get<Beyond>(judged).message, "it does not hold that it is right: 3 of 100 elements break it");
  EXPECT_EQ(std::get<Beyond>(judged).index, 7);
}

TEST(Properties, LimitIsTheBoundOfTheirRoundings) {
  const double u = 0x1p-24, lambda = lambda_for(100, 1e-3);
  const Contract c = contract_of(Precision::f32);
  EXPECT_DOUBLE_EQ(property_limit(c, output_of(DType::f32), property_of(0, 400)), gamma_probabilistic(400, u, lambda));
  EXPECT_DOUBLE_EQ(property_limit(c, output_of(DType::f32), property_of(0, 4)), gamma(4, u));
  for (const double part : {0.99, 1.01}) {
    const Property p = property_of(part * gamma_probabilistic(400, u, lambda), 400);
    EXPECT_EQ(std::holds_alternative<Within>(judge_property(c, output_of(DType::f32), p)), part < 1);
  }
}

TEST(Properties, PrecisionIsTheContractsElseTheOutputs) {
  EXPECT_DOUBLE_EQ(property_limit(contract_of(Precision::bf16), output_of(DType::f32), property_of(0, 4)),
                   gamma(4, 0x1p-8));
  EXPECT_DOUBLE_EQ(property_limit(contract_of(Precision::exact), output_of(DType::f16), property_of(0, 4)),
                   gamma(4, 0x1p-11));
}

TEST(Properties, NanNeverHoldsAndNothingMeasuredIsSaid) {
  const Contract c = contract_of(Precision::f32);
  EXPECT_TRUE(std::holds_alternative<Beyond>(judge_property(c, output_of(DType::f32), property_of(std::nan(""), 9))));
  Property none = property_of(0, 9);
  none.elements = 0;
  EXPECT_TRUE(std::holds_alternative<NothingMeasured>(judge_property(c, output_of(DType::f32), none)));
}

/// Intermediate tensors may be rounded to the promised precision only where sums are wider than it.
TEST(Intermediates, JoinTheBoundOfNarrowPrecisions) {
  RealTruth truth{{1.0}, {1.0}, 16.0, 0.5};
  Contract c = contract_of(Precision::bf16);
  c.numerics.accumulate = Precision::f32;
  const double with = tolerance_for(c, output_of(DType::bf16), truth, 1).limit;
  truth.between = 0.0;
  const double without = tolerance_for(c, output_of(DType::bf16), truth, 1).limit;
  EXPECT_NEAR(with - without, 0.5 * lambda_for(1, 1e-3), 1e-9);
  truth.between = 0.5;
  c.numerics.precision = Precision::f32;
  EXPECT_LT(tolerance_for(c, output_of(DType::f32), truth, 1).limit, 16.1);
}

}  // namespace
}  // namespace assay
