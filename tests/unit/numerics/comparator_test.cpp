#include "numerics/comparator.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "core/error.h"
#include "support.h"

namespace assay {
namespace {

using namespace testing_support;

RealTruth truth_of(const Owned& x, double scale = 1.0) {
  RealTruth truth{x.all(), std::vector<double>(static_cast<std::size_t>(x.elements), scale), 1.0};
  return truth;
}

Owned normal(DType dtype, std::vector<std::int64_t> shape) {
  Owned x(dtype, std::move(shape));
  fill(x, kind(ValueKind::normal));
  return x;
}

TEST(Comparator, EqualIsEqual) {
  const Owned x = normal(DType::f32, {37, 129});
  const ErrorProfile p = compare(x.view(), truth_of(x), {});
  EXPECT_EQ(p.elements, 37 * 129);
  EXPECT_EQ(p.measured, p.elements);
  EXPECT_EQ(p.ulp_histogram[0], p.elements);
  EXPECT_EQ(p.scaled.max, 0.0);
  EXPECT_EQ(p.scaled.at, -1);
  EXPECT_EQ(p.class_mismatches.count, 0);
  EXPECT_TRUE(std::isinf(p.smallest_k));
  EXPECT_EQ(p.actual_classes[0], p.elements);
  EXPECT_EQ(p.expected_classes[0], p.elements);
}

TEST(Comparator, FindsAnySingleChangedElement) {
  rc::check("one ulp, anywhere, any type and shape", [] {
    const DType dtype = *rc::gen::element(DType::f64, DType::f32, DType::f16, DType::bf16);
    const auto rows = *rc::gen::inRange<std::int64_t>(1, 70), columns = *rc::gen::inRange<std::int64_t>(1, 200);
    const auto pad = *rc::gen::inRange<std::int64_t>(0, 3);
    Owned x(dtype, {rows, columns},
            pad > 0 ? std::vector<std::int64_t>{columns + pad, 1} : std::vector<std::int64_t>{});
    fill(x, kind(ValueKind::normal));
    const RealTruth truth = truth_of(x);
    const auto at = *rc::gen::inRange<std::int64_t>(0, x.elements);
    visit_dtype(dtype, [&](auto codec) {
      store_bits(x.place(at), static_cast<typename decltype(codec)::Bits>(load_bits(x.place(at), codec) ^ 1), codec);
    });
    const ErrorProfile p = compare(x.view(), truth, {});
    RC_ASSERT(p.scaled.at == at);
    RC_ASSERT(p.absolute.at == at);
    RC_ASSERT(p.relative.at == at);
    RC_ASSERT(p.ulp_histogram[1] == 1);
    RC_ASSERT(p.ulp_histogram[0] == x.elements - 1);
    RC_ASSERT(p.worst_blocks.front().max == p.scaled.max);
  });
}

TEST(Comparator, StatisticsMatchASlowEvaluation) {
  Owned x = normal(DType::f32, {100, 150});
  RealTruth truth = truth_of(x);
  for (std::size_t i = 0; i < truth.value.size(); ++i) {
    truth.value[i] *= 1 + 1e-6 * std::sin(static_cast<double>(i));
    truth.scale[i] = 1 + static_cast<double>(i % 7);
  }
  CompareOptions options;
  options.u_out = 0x1p-24;
  options.floor = 1e-9;
  const ErrorProfile p = compare(x.view(), truth, options);
  double rho2 = 0, rel2 = 0, abs2 = 0, signed_rho = 0, rho_max = 0, excess = 0;
  std::vector<double> all;
  for (std::int64_t i = 0; i < x.elements; ++i) {
    const double y = truth.value[static_cast<std::size_t>(i)], s = truth.scale[static_cast<std::size_t>(i)],
                 e = x.at(i) - y;
    const double rho = std::fabs(e) / (0x1p-24 * s);
    rho2 += rho * rho;
    abs2 += e * e;
    rel2 += e * e / (y * y);
    signed_rho += e / (0x1p-24 * s);
    rho_max = std::max(rho_max, rho);
    excess = std::max(excess, (std::fabs(e) - 0x1p-24 * std::fabs(y) - 1e-9) / (0x1p-24 * s));
    all.push_back(rho);
  }
  const double n = static_cast<double>(x.elements);
  EXPECT_NEAR(p.scaled.rms, std::sqrt(rho2 / n), 1e-9 * p.scaled.rms);
  EXPECT_NEAR(p.absolute.rms, std::sqrt(abs2 / n), 1e-9 * p.absolute.rms);
  EXPECT_NEAR(p.relative.rms, std::sqrt(rel2 / n), 1e-9 * p.relative.rms);
  EXPECT_NEAR(p.mean_signed_rho, signed_rho / n, 1e-9);
  EXPECT_NEAR(p.scaled.max, rho_max, 1e-9 * rho_max);
  EXPECT_NEAR(p.excess.max, excess, 1e-9 * excess);
  std::sort(all.begin(), all.end());
  const auto exact = [&](double q) { return all[static_cast<std::size_t>(std::ceil(q * n)) - 1]; };
  EXPECT_GE(p.rho_p50, exact(0.5));
  EXPECT_LE(p.rho_p50, exact(0.5) * 1.04);
  EXPECT_GE(p.rho_p99, exact(0.99));
  EXPECT_LE(p.rho_p99, exact(0.99) * 1.04);
  EXPECT_EQ(p.smallest_k, std::ceil(std::log2(rho_max)));
}

TEST(Comparator, OneBadTileIsTheWorstBlock) {
  Owned x = normal(DType::f32, {200, 300});
  const RealTruth truth = truth_of(x);
  for (std::int64_t r = 128; r < 192; ++r) {
    for (std::int64_t c = 64; c < 128; ++c) x.set(r * 300 + c, 0.0);
  }
  const ErrorProfile p = compare(x.view(), truth, {});
  EXPECT_EQ(p.blocks, 4 * 5);
  EXPECT_EQ(p.worst_blocks.front().first, 128 * 300 + 64);
  EXPECT_EQ(p.worst_blocks[1].rms, 0.0);
  EXPECT_EQ(p.median_block_rms, 0.0);
}

TEST(Comparator, ClassesComeBeforeNumbers) {
  Owned x(DType::f32, {8});
  const double inf = INFINITY, nan = NAN;
  const std::vector<double> actual{nan, nan, inf, -inf, 1, inf, -0.0, 1e-40};
  const std::vector<double> truth{nan, 1, inf, inf, nan, 3, 0.0, 1e-40};
  for (int i = 0; i < 8; ++i) x.set(i, actual[static_cast<std::size_t>(i)]);
  const ErrorProfile p = compare(x.view(), RealTruth{truth, std::vector<double>(8, 1.0), 1}, {});
  EXPECT_EQ(p.class_mismatches.count, 4);  // 1, 3, 4, 5
  EXPECT_EQ(p.class_mismatches.first, 1);
  EXPECT_EQ(p.measured, 2);
  EXPECT_EQ(p.actual_classes, (std::array<std::int64_t, 6>{1, 2, 1, 2, 1, 1}));
  EXPECT_EQ(p.expected_classes, (std::array<std::int64_t, 6>{3, 2, 0, 2, 0, 1}));
  CompareOptions undefined;
  undefined.special_values = false;
  const ErrorProfile q = compare(x.view(), RealTruth{truth, std::vector<double>(8, 1.0), 1}, undefined);
  EXPECT_EQ(q.class_mismatches.count, 2);  // where the truth is finite: 1 and 5
}

TEST(Comparator, ATruthBeyondTheTypeExpectsInfinity) {
  Owned x(DType::f16, {4});
  for (int i = 0; i < 4; ++i) x.set(i, i < 2 ? INFINITY : 65504.0);
  const RealTruth truth{{70000, -70000, 70000, 65519}, std::vector<double>(4, 70000), 1};
  CompareOptions options;
  options.u = 0x1p-11;
  const ErrorProfile p = compare(x.view(), truth, options);
  EXPECT_EQ(p.class_mismatches.count, 2);
  EXPECT_EQ(p.class_mismatches.first, 1);
  options.overflow_margin = 200;  // 200 u 70000 reaches far: either side of the threshold will do
  EXPECT_EQ(compare(x.view(), truth, options).class_mismatches.count, 1);
}

TEST(Comparator, UnwrittenElementsAreFound) {
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    for (const Poison p : {Poison::quiet_nan, Poison::small_finite}) {
      Owned x(dtype, {40, 70}, {73, 1});
      const PoisonSpec spec{p, derive_key(seed(), 8, "poison")};
      Owned truth_tensor = normal(dtype, {40, 70});
      fill_poison(x.bytes, spec, dtype);
      for (std::int64_t i = 0; i < x.elements; ++i) {
        if (i != 77 && i != 2799) x.set(i, truth_tensor.at(i));
      }
      CompareOptions options;
      options.poison = spec;
      const ErrorProfile profile = compare(x.view(), truth_of(truth_tensor), options);
      EXPECT_EQ(profile.unwritten.count, 2) << info(dtype).name << name_of(p);
      EXPECT_EQ(profile.unwritten.first, 77);
    }
  }
}

TEST(Comparator, InNarrowTypesAnHonestErrorThatMeetsThePoisonIsWritten) {
  for (const auto& [dtype, u] : {std::pair{DType::bf16, 0x1p-9}, std::pair{DType::f16, 0x1p-12}}) {
    Owned x(dtype, {500});
    const PoisonSpec spec{Poison::small_finite, derive_key(seed(), 8, "poison")};
    fill_poison(x.bytes, spec, dtype);
    RealTruth truth{{}, {}, 1};
    for (std::int64_t i = 0; i < x.elements; ++i) {
      truth.value.push_back(x.at(i) * (1.0 + 12.0 * u));
      truth.scale.push_back(10.0 * std::fabs(x.at(i)));  // the sum's terms cancel
    }
    CompareOptions options;
    options.u = u;
    options.poison = spec;
    EXPECT_EQ(compare(x.view(), truth, options).unwritten.count, 0) << info(dtype).name;
    for (double& y : truth.value) y += 5.0;
    EXPECT_EQ(compare(x.view(), truth, options).unwritten.count, x.elements) << info(dtype).name;
  }
}

TEST(Comparator, UnwrittenUnderATruthOfNanIsFoundInWideTypes) {
  Owned x(DType::f32, {3});
  const PoisonSpec spec{Poison::quiet_nan, derive_key(seed(), 8, "poison")};
  fill_poison(x.bytes, spec, DType::f32);
  x.set(0, NAN);
  CompareOptions options;
  options.poison = spec;
  const RealTruth truth{{NAN, NAN, 1.0}, {1, 1, 1}, 1};
  const ErrorProfile p = compare(x.view(), truth, options);
  EXPECT_EQ(p.unwritten.count, 2);
  EXPECT_EQ(p.unwritten.first, 1);
}

TEST(Comparator, ExactMeansZeroSignsButAnyNan) {
  Owned x(DType::f32, {3});
  x.set(0, -0.0);
  x.set(1, NAN);
  x.set(2, 5);
  ExactTruth truth{x.bytes};
  EXPECT_EQ(compare(x.view(), truth, {}).mismatches.count, 0);
  truth.bytes[4] = std::byte{1};  // another NaN payload
  EXPECT_EQ(compare(x.view(), truth, {}).mismatches.count, 0);
  CompareOptions bits;
  bits.bits = true;
  EXPECT_EQ(compare(x.view(), truth, bits).mismatches.first, 1);
  truth.bytes[3] = std::byte{0};  // +0
  const ErrorProfile p = compare(x.view(), truth, {});
  EXPECT_EQ(p.mismatches.count, 1);
  EXPECT_EQ(p.mismatches.first, 0);
}

TEST(Comparator, ExactFindsAnyFlippedBit) {
  rc::check("any integer type", [] {
    const DType dtype = *rc::gen::element(DType::i64, DType::i32, DType::i8, DType::u16);
    const auto size = *rc::gen::inRange<std::int64_t>(1, 3000);
    Owned x(dtype, {size});
    ConcreteValues values = kind(ValueKind::integers);
    values.spec.high = 100;
    fill(x, values);
    const ExactTruth truth{x.bytes};
    const auto byte = *rc::gen::inRange<std::size_t>(0, x.bytes.size());
    x.bytes[byte] ^= std::byte{static_cast<unsigned char>(1 << *rc::gen::inRange(0, 8))};
    const ErrorProfile p = compare(x.view(), truth, {});
    RC_ASSERT(p.mismatches.count == 1);
    RC_ASSERT(p.mismatches.first == static_cast<std::int64_t>(byte) / info(dtype).bytes);
  });
}

TEST(Comparator, TrailingZerosShowANarrowOutput) {
  Owned x = normal(DType::f32, {10000});
  const RealTruth truth = truth_of(x);
  for (std::int64_t i = 0; i < x.elements; ++i) x.set(i, round_to(DType::bf16, x.at(i)));
  const ErrorProfile p = compare(x.view(), truth, {});
  std::int64_t many = 0;
  for (std::size_t t = 12; t < p.trailing_zeros.size(); ++t) many += p.trailing_zeros[t];
  EXPECT_EQ(many, x.elements);
  const ErrorProfile honest = compare(normal(DType::f32, {10000}).view(), truth, {});
  many = 0;
  for (std::size_t t = 12; t < honest.trailing_zeros.size(); ++t) many += honest.trailing_zeros[t];
  EXPECT_LT(many, 20);
}

TEST(Comparator, BandCountsWhatLiesOutside) {
  Owned x(DType::f32, {4});
  for (int i = 0; i < 4; ++i) x.set(i, 1.0 + 0.01 * i);
  CompareOptions options;
  options.band = Band{0.015, 0.0};
  const ErrorProfile p = compare(x.view(), RealTruth{{1, 1, 1, NAN}, {1, 1, 1, 1}, 1}, options);
  EXPECT_EQ(p.outside.count, 2);
  EXPECT_EQ(p.outside.first, 2);
}

TEST(Comparator, NothingAndMisfits) {
  const Owned x(DType::f32, {0, 5});
  EXPECT_EQ(compare(x.view(), RealTruth{}, {}).elements, 0);
  const Owned y(DType::f32, {3});
  EXPECT_THROW(compare(y.view(), RealTruth{}, {}), Error);
  EXPECT_THROW(compare(y.view(), ExactTruth{}, {}), Error);
}

}  // namespace
}  // namespace assay
