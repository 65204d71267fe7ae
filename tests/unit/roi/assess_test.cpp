#include "roi/assess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "roi/valid.h"

namespace assay::roi {
namespace {

/// ROI.md's campaign: 32 h at $0.001736/s and a plan of $100.
RoiSpec campaign() {
  RoiSpec spec;
  spec.accelerator_usd_per_hour = 0.001736 * 3600;
  spec.hours_per_month = 720;
  spec.accelerators = 1;
  spec.search_hours = 32;
  spec.search_usd_per_hour = 0.001736 * 3600;
  spec.plan_usd = 100;
  spec.horizon_months = 1;
  return spec;
}

Inputs inputs_of(Quantiles share, Quantiles speedup, RoiSpec money = campaign()) {
  Inputs inputs;
  inputs.kernels = {single_kernel("qr", share, speedup)};
  inputs.money = std::move(money);
  return inputs;
}

Inputs inputs_of(double share, double speedup) {
  return inputs_of({share, share, share}, {speedup, speedup, speedup});
}

bool has(const std::vector<std::string>& lines, std::string_view part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

std::string message_of(const Inputs& inputs) {
  try {
    assess(inputs);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::kUsage);
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Money, CampaignFromItsLines) {
  EXPECT_NEAR(0.001736 * 3600, 6.2496, 1e-12);
  const CampaignCost cost = campaign_cost(campaign());
  ASSERT_EQ(cost.lines.size(), 2u);
  EXPECT_NEAR(cost.lines[0].usd, 199.9872, 1e-9);
  EXPECT_EQ(usd_text(cost.lines[0].usd), "$199.99");
  EXPECT_NEAR(cost.usd.value(), 299.9872, 1e-9);
  EXPECT_EQ(usd_text(*cost.usd), "$299.99");
  EXPECT_TRUE(has(cost.left_out, "engineers"));
  EXPECT_TRUE(has(cost.left_out, "the audit itself"));
}

TEST(Money, GoldenSavingsAndPaybacks) {
  const Terms terms = terms_of(campaign());
  EXPECT_NEAR(terms.usd_per_month_of_all().value(), 4499.712, 1e-9);
  const RoiResult quarter = assess(inputs_of(0.25, 2)), twentieth = assess(inputs_of(0.05, 2));
  EXPECT_NEAR(quarter.saving_usd_per_month->value, 562.464, 1e-9);
  EXPECT_NEAR(quarter.payback_days->value, 16.0003, 5e-5);
  EXPECT_EQ(fixed_text(quarter.payback_days->value, 0), "16");
  EXPECT_NEAR(twentieth.saving_usd_per_month->value, 112.4928, 1e-9);
  EXPECT_NEAR(twentieth.payback_days->value, 80.0017, 5e-5);
  EXPECT_NEAR(payback_days(terms, 299.99, 562.464), 16.0005, 5e-5);
  EXPECT_NEAR(payback_days(terms, 299.99, 112.4928), 80.0025, 5e-5);
}

TEST(Money, ATwentyPercentKernelIsNotATwentyPercentBill) {
  RoiSpec spec;
  spec.accelerator_usd_per_hour = 50'000.0 / 720.0;
  const RoiResult result = assess(inputs_of({0.25, 0.25, 0.25}, {1.25, 1.25, 1.25}, spec));
  EXPECT_NEAR(result.saving_usd_per_month->value, 2500.0, 1e-8);
  EXPECT_FALSE(result.payback_days);
  EXPECT_EQ(result.payback_reason, "the campaign's cost is not given: campaign_cost_usd or its lines");
}

TEST(Money, BreakEvenOverAMonth) {
  EXPECT_EQ(fixed_text(assess(inputs_of(0.25, 2)).break_even_speedup.value(), 4), "1.3636");
  const RoiResult none = assess(inputs_of(0.05, 2));
  EXPECT_FALSE(none.break_even_speedup);
  EXPECT_EQ(none.break_even_reason, "none within 1 months: 6.7 % of the workload must be saved, the kernel has 5.0 %");
}

TEST(Money, UpkeepCountsAgainstTheSaving) {
  Inputs inputs = inputs_of(0.25, 2);
  inputs.money.maintenance_usd_per_month = 262.464;
  const RoiResult result = assess(inputs);
  EXPECT_NEAR(result.saving_usd_per_month->value, 562.464, 1e-9);
  EXPECT_NEAR(result.payback_days->value, 299.9872 / 300.0 * 30.0, 1e-6);
  EXPECT_NEAR(result.net_usd->value, 300.0 - 299.9872, 1e-6);
  inputs.money.maintenance_usd_per_month = 600;
  const RoiResult never = assess(inputs);
  EXPECT_FALSE(never.payback_days);
  EXPECT_EQ(never.payback_reason, "never: upkeep costs more than is saved");
}

TEST(Money, TokensDiscountAndCredit) {
  RoiSpec spec;
  spec.tokens = TokenCost{15e3, 253e3, 17.6e6, 752e3};
  spec.usd_per_million = TokenCost{3, 15, 0.3, 3.75};
  spec.search_hours = 10;
  spec.search_usd_per_hour = 2;
  spec.discount = 0.25;
  spec.credit_usd = 5;
  const double tokens = (15e3 * 3 + 253e3 * 15 + 17.6e6 * 0.3 + 752e3 * 3.75) / 1e6;
  EXPECT_NEAR(campaign_cost(spec).usd.value(), tokens + 15.0 - 5.0, 1e-9);
  spec.credit_usd = 1e6;
  EXPECT_EQ(campaign_cost(spec).usd.value(), 0.0) << "a credit gives no money back";
}

TEST(Money, SavedTimeWithoutMoney) {
  Inputs inputs = inputs_of(0.25, 2);
  inputs.money.capture = 0.0;
  const RoiResult result = assess(inputs);
  EXPECT_FALSE(result.saving_usd_per_month);
  EXPECT_EQ(result.saving_reason, "capture is 0: saved time does not become money");
  EXPECT_EQ(result.payback_reason, result.saving_reason);
  EXPECT_NEAR(result.saved_fraction.value, 0.125, 1e-12);
}

TEST(Money, RefusesNonsense) {
  Inputs inputs = inputs_of(0.25, 2);
  inputs.money.accelerator_usd_per_hour = -1;
  EXPECT_EQ(message_of(inputs), "the accelerator_usd_per_hour is -1: it must not be negative, and finite");
  inputs = inputs_of(0.25, 2);
  inputs.money.hours_per_month = 0;
  EXPECT_EQ(message_of(inputs), "the hours_per_month is 0: it must be above 0 and finite");
  inputs = inputs_of(0.25, 2);
  inputs.money.campaign_cost_usd = 10;
  EXPECT_EQ(message_of(inputs), "the campaign's cost is given twice: leave out 'campaign_cost_usd' or its lines");
  inputs = inputs_of(0.25, 2);
  inputs.money.search_usd_per_hour.reset();
  EXPECT_EQ(message_of(inputs), "'search_hours' needs 'search_usd_per_hour' beside it");
  inputs = inputs_of({0.3, 0.2, 0.4}, {2, 2, 2});
  EXPECT_EQ(message_of(inputs), "share of 'qr': p05 <= p50 <= p95 does not hold");
  inputs = inputs_of(0.25, 2);
  inputs.money.accelerator_usd_per_hour = std::nan("");
  EXPECT_NE(message_of(inputs).find("nan"), std::string::npos);
  inputs.kernels.clear();
  EXPECT_NE(message_of(inputs).find("no share of the workload is known"), std::string::npos);
}

TEST(Assess, ShapesFailedOrUnauditedCountAsOne) {
  KernelInput kernel = single_kernel("k", {0.4, 0.4, 0.4}, {2, 2, 2});
  kernel.shapes.resize(4, kernel.shapes.front());
  kernel.shapes[1].status = SpeedStatus::not_audited;
  kernel.shapes[2].status = SpeedStatus::failed;
  kernel.shapes[3].speedup = {0.5, 0.5, 0.5};
  Inputs inputs;
  inputs.kernels = {kernel};
  const RoiResult result = assess(inputs);
  EXPECT_NEAR(result.saved_fraction.value, 0.1 * 0.5 - 0.1 * 1.0, 1e-12);
  ASSERT_EQ(result.per_shape.size(), 4u);
  EXPECT_EQ(result.per_shape[1].speedup, 1.0);
  EXPECT_EQ(result.per_shape[2].saved_fraction, 0.0);
  EXPECT_NEAR(result.per_shape[3].saved_fraction, -0.1, 1e-12);
  EXPECT_TRUE(has(result.assumptions, "not audited count as 1.0x"));
  EXPECT_EQ(result.gate, RoiGate::do_not_deploy);
  EXPECT_TRUE(has(result.reasons, "gets no faster"));
}

TEST(Assess, NeverAGeometricMeanOfSpeedups) {
  KernelInput kernel = single_kernel("k", {0.5, 0.5, 0.5}, {4, 4, 4});
  kernel.shapes.push_back(kernel.shapes.front());
  kernel.shapes[1].speedup = {1, 1, 1};
  kernel.shapes[1].time_s = 99.0;
  Inputs inputs;
  inputs.kernels = {kernel};
  EXPECT_NEAR(assess(inputs).speedup.value, 100.0 / (0.25 + 99.0), 1e-12);
}

TEST(Assess, AFailedVerdictSavesNothing) {
  Inputs inputs = inputs_of(0.25, 232);
  inputs.verdict_failed = true;
  const RoiResult result = assess(inputs);
  EXPECT_EQ(result.saved_fraction.value, 0.0);
  EXPECT_EQ(result.gate, RoiGate::do_not_deploy);
  EXPECT_FALSE(result.payback_days);
  EXPECT_EQ(result.payback_reason, "never: nothing is saved");
}

TEST(Assess, DispatchingCosts) {
  Inputs inputs = inputs_of(0.25, 2);
  inputs.dispatch_share = 0.025;
  const RoiResult result = assess(inputs);
  EXPECT_NEAR(result.saved_fraction.value, 0.10, 1e-12);
  EXPECT_NEAR(result.end_to_end_speedup.value, 1.0 / 0.9, 1e-12);
}

TEST(Assess, ClaimAuditAndCeilingSideBySide) {
  Inputs inputs = inputs_of({0.25, 0.25, 0.25}, {1.8, 2.0, 2.2});
  inputs.claimed_speedup = 232;
  const RoiResult result = assess(inputs);
  EXPECT_NEAR(result.audited_lower_speedup.value(), 1.8, 0.01);
  EXPECT_NEAR(result.inflation.value(), 232 / 1.8, 1.0);
  EXPECT_EQ(fixed_text(result.ceiling_speedup.value, 4), "1.3333");
}

TEST(Assess, RooflineNeedsEveryFloor) {
  Inputs inputs = inputs_of(0.26, 1.1);
  EXPECT_FALSE(assess(inputs).roofline_ceiling_speedup);
  inputs.kernels[0].shapes[0].floor_ratio = 0.88;
  EXPECT_NEAR(assess(inputs).roofline_ceiling_speedup.value(), 1.0 / (1.0 - 0.26 * 0.12), 1e-12);
}

TEST(Assess, GateByPayback) {
  Inputs inputs = inputs_of(0.25, 2);
  inputs.money.max_payback_days = 30;
  EXPECT_EQ(assess(inputs).gate, RoiGate::deploy);
  inputs.money.max_payback_days = 16;
  EXPECT_EQ(assess(inputs).gate, RoiGate::do_not_deploy) << "16.0003 days are more than 16";
  Inputs wide = inputs_of({0.1, 0.25, 0.4}, {2, 2, 2});
  wide.money.max_payback_days = 16;
  const RoiResult straddling = assess(wide);
  EXPECT_EQ(straddling.gate, RoiGate::none);
  EXPECT_TRUE(has(straddling.reasons, "straddles"));
}

TEST(Assess, SaysThatItIsAPrediction) {
  const RoiResult result = assess(inputs_of(0.25, 2));
  EXPECT_FALSE(result.observed);
  EXPECT_TRUE(has(result.assumptions, "predicted, not observed"));
  EXPECT_TRUE(has(result.assumptions, "prices are as given and carry no date"));
  ASSERT_TRUE(result.e2e_mde);
  EXPECT_EQ(percent_text(result.e2e_mde->fraction, 2), "5.03 %");
  EXPECT_EQ(result.e2e_mde->runs_needed, 2);
}

TEST(MonteCarlo, AgreesWithTheDeltaMethod) {
  const double z = 1.6448536269514722;
  Inputs inputs = inputs_of({0.25 - z * 0.01, 0.25, 0.25 + z * 0.01}, {2 - z * 0.05, 2, 2 + z * 0.05});
  const RoiResult result = assess(inputs);
  EXPECT_EQ(result.draws, 100'000);
  const Quantiles saved = result.saved_fraction.spread.value();
  EXPECT_NEAR(saved.p50, 0.125, 2e-4);
  EXPECT_NEAR((saved.p95 - saved.p05) / (2 * z), 0.0059, 1e-4);
}

TEST(MonteCarlo, ReproducesItsOwnInputs) {
  const RoiResult result = assess(inputs_of({0.10, 0.25, 0.30}, {1.5, 2.0, 3.5}));
  EXPECT_NEAR(result.hot_fraction.spread->p05, 0.10, 0.002);
  EXPECT_NEAR(result.hot_fraction.spread->p50, 0.25, 0.001);
  EXPECT_NEAR(result.hot_fraction.spread->p95, 0.30, 0.001);
  EXPECT_NEAR(result.speedup.spread->p05, 1.5, 0.01);
  EXPECT_NEAR(result.speedup.spread->p95, 3.5, 0.03);
}

TEST(MonteCarlo, SameInputsSamePercentiles) {
  const Inputs inputs = inputs_of({0.2, 0.25, 0.3}, {1.5, 2.0, 2.5});
  const RoiResult first = assess(inputs), second = assess(inputs);
  EXPECT_EQ(first.saved_fraction.spread->p05, second.saved_fraction.spread->p05);
  EXPECT_EQ(first.payback_days->spread->p95, second.payback_days->spread->p95);
}

TEST(MonteCarlo, PaybackFallsAsTheSavingRises) {
  const RoiResult result = assess(inputs_of({0.2, 0.25, 0.3}, {1.5, 2.0, 2.5}));
  const Quantiles saving = result.saving_usd_per_month->spread.value(), days = result.payback_days->spread.value();
  EXPECT_LT(days.p05, days.p95);
  EXPECT_NEAR(days.p05, 299.9872 / saving.p95 * 30, 1e-9);
}

TEST(MonteCarlo, ALossInSomeWorldsNeverPaysThere) {
  const RoiResult result = assess(inputs_of({0.25, 0.25, 0.25}, {0.9, 1.1, 1.3}));
  EXPECT_TRUE(std::isinf(result.payback_days->spread->p95));
  EXPECT_TRUE(std::isfinite(result.payback_days->spread->p05));
}

TEST(MonteCarlo, TheMixIsUncertainToo) {
  KernelInput kernel = single_kernel("k", {0.5, 0.5, 0.5}, {3, 3, 3});
  kernel.shapes.push_back(kernel.shapes.front());
  kernel.shapes[1].speedup = {1, 1, 1};
  kernel.shapes[0].weight = {0.5, 1.0, 2.0};
  Inputs inputs;
  inputs.kernels = {kernel};
  const RoiResult result = assess(inputs);
  EXPECT_NEAR(result.saved_fraction.spread->p05, 0.5 * (1.0 / 3.0) * (2.0 / 3.0), 0.003);
  EXPECT_NEAR(result.saved_fraction.spread->p95, 0.5 * (2.0 / 3.0) * (2.0 / 3.0), 0.003);
}

TEST(MonteCarlo, IntervalsOfAnyConfidence) {
  const Quantiles q = quantiles_from_interval(2.0, 1.8, 2.3, 0.90);
  EXPECT_NEAR(q.p05, 1.8, 1e-9);
  EXPECT_NEAR(q.p95, 2.3, 1e-9);
  const Quantiles wide = quantiles_from_interval(2.0, 1.8, 2.3, 0.95);
  EXPECT_GT(wide.p05, 1.8);
  EXPECT_LT(wide.p95, 2.3);
  EXPECT_THROW(quantiles_from_interval(2.0, 2.1, 2.3, 0.95), Error);
}

}  // namespace
}  // namespace assay::roi
