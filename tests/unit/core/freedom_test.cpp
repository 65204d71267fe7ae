#include "core/freedom.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

Tensor tensor(ValueKind kind, ValueRange range, DType dtype = DType::f32) {
  Tensor x;
  x.name = "x";
  x.dtype = dtype;
  x.shape = {Expression::constant(8)};
  x.values = ValueSpec{};
  x.values->kind = kind;
  x.range = range;
  return x;
}

TEST(Freedom, ANormalTensorMayHoldNearlyAnything) {
  const Freedom f = freedom_of({}, tensor(ValueKind::normal, {-4096, 4096}));
  EXPECT_TRUE(f.continuous && f.exchangeable && f.zero && f.both_signs && f.not_finite && f.negative_zero);
  EXPECT_EQ(f.denormal, 0x1p-149);
}

TEST(Freedom, ADeclaredRangeIsAPromise) {
  const Freedom f = freedom_of({}, tensor(ValueKind::normal, {0.5, 8}));
  EXPECT_TRUE(f.continuous);
  EXPECT_FALSE(f.zero || f.both_signs || f.not_finite || f.negative_zero);
  EXPECT_EQ(f.denormal, 0.0);
  EXPECT_EQ(f.clamp(), (ClampEdit{0.5, 8}));
}

TEST(Freedom, PositiveStaysAboveZero) {
  const Freedom f = freedom_of({}, tensor(ValueKind::positive, {0, 4096}));
  EXPECT_GT(f.low, 0.0);
  EXPECT_FALSE(f.zero || f.not_finite);
}

TEST(Freedom, UndefinedSpecialValuesAndFlushedDenormalsAreNotAskedFor) {
  Contract contract;
  contract.numerics.special_values = SpecialValues::undefined;
  contract.numerics.denormals = Denormals::flush;
  const Freedom f = freedom_of(contract, tensor(ValueKind::normal, {-4096, 4096}));
  EXPECT_FALSE(f.not_finite);
  EXPECT_EQ(f.denormal, 0.0);
}

TEST(Freedom, StructuredValuesAreLeftAlone) {
  for (const ValueKind kind : {ValueKind::spd, ValueKind::orthogonal, ValueKind::probabilities, ValueKind::file}) {
    const Freedom f = freedom_of({}, tensor(kind, {0, 1}));
    EXPECT_FALSE(f.continuous || f.exchangeable);
    ConcreteTensor concrete;
    concrete.values.spec.kind = kind;
    EXPECT_FALSE(one_value(f, concrete, 3));
  }
}

TEST(Freedom, StaticTensorsAndOutputsDoNotChange) {
  Tensor fixed = tensor(ValueKind::normal, {-4096, 4096}), out = fixed;
  fixed.is_static = true;
  out.role = Role::out;
  EXPECT_FALSE(freedom_of({}, fixed).changes || freedom_of({}, fixed).continuous);
  EXPECT_FALSE(freedom_of({}, out).changes);
}

TEST(Freedom, IntegersChangeInPlaceUnderServingOnly) {
  EXPECT_EQ(freedom_of({}, tensor(ValueKind::index, {0, 0}, DType::i32)).change_in_place, Lifetime::serving);
  EXPECT_EQ(freedom_of({}, tensor(ValueKind::normal, {-1, 1})).change_in_place, Lifetime::fixed_address);
}

TEST(Freedom, OneValueStaysInTheRange) {
  const Freedom f = freedom_of({}, tensor(ValueKind::normal, {-0.5, 2}));
  ConcreteTensor concrete;
  concrete.values.spec = ValueSpec{};
  EXPECT_EQ(one_value(f, concrete, 0), 2.0);
  EXPECT_EQ(one_value(f, concrete, 1), -0.5);
}

}  // namespace
}  // namespace assay
