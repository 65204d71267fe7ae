#include "roi/assess.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "roi/valid.h"

// Theory of operation: a result is a pure function of shares of wall time, audited speed-ups and prices. Shares come
// from the contract, from flags or from a profile (select.h); each kernel's share is split over its production shapes
// by weight x time, and only audited shapes are credited. Amdahl's law (amdahl.h) gives the saved fraction at the
// medians; if any input is uncertain, 100,000 draws with a fixed seed give its percentiles (monte_carlo.h). Money
// follows from the saved fraction alone and rises with it, so the percentiles of saving, payback and net are those of
// the saved fraction put through the same formulas (money.h). Everything is predicted until somebody has measured the
// workload; what nobody said is listed as an assumption, what has no price as left out. The gates before a search are
// in gate.h.

namespace assay::roi {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kAssumedCv = 0.0284;  // ROI.md, "Uncertainty": of end-to-end runs of a serving workload

void check(const Quantiles& q, const std::string& what, void (*check_one)(std::string_view, double)) {
  for (double value : {q.p05, q.p50, q.p95}) check_one(what, value);
  if (q.p05 > q.p50 || q.p50 > q.p95) fail(what + ": p05 <= p50 <= p95 does not hold");
}

void check_kernel(const KernelInput& kernel) {
  const std::string of = kernel.name.empty() ? "" : " of '" + kernel.name + "'";
  check(kernel.share, "share" + of, check_share);
  if (kernel.shapes.empty()) fail("kernel" + of + " has no shape");
  for (const ShapeInput& shape : kernel.shapes) {
    check(shape.weight, "weight" + of, is_point(shape.weight) ? check_not_negative : check_positive);
    check_positive("time of a call" + of, shape.time_s);
    check_speedup("speed-up of the alternative" + of, shape.alternative_speedup);
    check(shape.speedup, "speed-up" + of, is_point(shape.speedup) ? check_speedup : check_positive);
  }
}

void check(const Inputs& inputs) {
  if (inputs.kernels.empty()) {
    fail("no share of the workload is known: give --hot-fraction, [roi] hot_fraction, or --trace and --kernel");
  }
  for (const KernelInput& kernel : inputs.kernels) check_kernel(kernel);
  check_share("cost of dispatching", inputs.dispatch_share);
  if (inputs.claimed_speedup) check_positive("claimed speed-up", *inputs.claimed_speedup);
}

/// A failed verdict credits nothing: every shape falls back.
std::vector<KernelInput> credited(const Inputs& inputs) {
  std::vector<KernelInput> kernels = inputs.kernels;
  if (!inputs.verdict_failed) return kernels;
  for (KernelInput& kernel : kernels) {
    for (ShapeInput& shape : kernel.shapes) shape.status = SpeedStatus::failed;
  }
  return kernels;
}

RoiEstimate estimate(double value, const Spread& spread, const Quantiles& quantiles) {
  if (spread.draws == 0) return {value, std::nullopt};
  return {value, quantiles};
}

/// The same function of every percentile; `falling` swaps the ends.
template <class Function>
RoiEstimate mapped(const RoiEstimate& from, Function function, bool falling = false) {
  RoiEstimate to{function(from.value), std::nullopt};
  if (!from.spread) return to;
  const Quantiles& q = *from.spread;
  to.spread = Quantiles{function(falling ? q.p95 : q.p05), function(q.p50), function(falling ? q.p05 : q.p95)};
  return to;
}

double share_of(std::span<const Part> parts) {
  double share = 0.0;
  for (const Part& part : parts) share += part.share;
  return std::min(share, 1.0);
}

void fill_amdahl(RoiResult& result, const std::vector<KernelInput>& kernels, const Inputs& inputs) {
  const std::vector<Part> parts = parts_of(kernels);
  const double dispatch = inputs.verdict_failed ? 0.0 : inputs.dispatch_share;
  const Spread spread = simulate(kernels, dispatch, inputs.draws);
  const double saved = saved_fraction(parts) - dispatch, share = share_of(parts);
  double alternative = 1.0;
  for (const Part& part : parts) alternative -= part.share * (1.0 - 1.0 / part.alternative_speedup);
  result.draws = spread.draws;
  result.hot_fraction = estimate(share, spread, spread.share);
  result.speedup = estimate(combined_speedup(parts), spread, spread.speedup);
  result.saved_fraction = estimate(saved, spread, spread.saved);
  const double left = alternative - saved;
  const double end_to_end = dispatch == 0.0 ? end_to_end_speedup(parts) : left > 0.0 ? alternative / left : kInfinite;
  result.end_to_end_speedup = estimate(end_to_end, spread, spread.end_to_end);
  result.ceiling_speedup =
      mapped(result.hot_fraction, [&](double f) { return f < 1.0 ? alternative / (1.0 - f) : kInfinite; });
  result.curve = curve_of(share, result.speedup.value);
}

void fill_shapes(RoiResult& result, const std::vector<KernelInput>& kernels) {
  const std::vector<Part> parts = parts_of(kernels);
  std::size_t next = 0;
  for (const KernelInput& kernel : kernels) {
    for (const ShapeInput& shape : kernel.shapes) {
      const Part& part = parts[next++];
      const double saved = part.share * (1.0 / part.alternative_speedup - 1.0 / part.speedup);
      const std::string name = shape.name.empty() ? kernel.name : shape.name;
      result.per_shape.push_back({name, part.share, part.speedup, saved, shape.status});
    }
  }
}

/// Only where the floor of every part is known: a sum of some would be no ceiling.
void fill_roofline(RoiResult& result, const std::vector<KernelInput>& kernels) {
  std::vector<double> shares, ratios;
  const std::vector<Part> parts = parts_of(kernels);
  for (const KernelInput& kernel : kernels) {
    for (const ShapeInput& shape : kernel.shapes) {
      if (!shape.floor_ratio) return;
      shares.push_back(parts[shares.size()].share);
      ratios.push_back(*shape.floor_ratio);
    }
  }
  result.roofline_ceiling_speedup = speedup_of_saved(roofline_saved_fraction(shares, ratios));
}

/// The lower end of what was audited, of the parts' own time together.
void fill_claim(RoiResult& result, const Inputs& inputs) {
  result.claimed_speedup = inputs.claimed_speedup;
  if (inputs.verdict_failed || !inputs.audited) return;
  result.audited_lower_speedup = result.speedup.value;
  if (result.speedup.spread) result.audited_lower_speedup = result.speedup.spread->p05;
  if (inputs.claimed_speedup) result.inflation = *inputs.claimed_speedup / *result.audited_lower_speedup;
}

void fill_saving(RoiResult& result, const Terms& terms) {
  const std::optional<double> all = terms.usd_per_month_of_all();
  if (!all) {
    result.saving_reason = terms.usd_per_hour ? "capture is 0: saved time does not become money"
                                              : "no price: accelerator_usd_per_hour is not given";
    return;
  }
  result.saving_usd_per_month = mapped(result.saved_fraction, [&](double saved) { return *all * saved; });
}

void fill_payback(RoiResult& result, const Terms& terms, const std::optional<double>& cost) {
  if (!result.saving_usd_per_month) {
    result.payback_reason = result.saving_reason;
    return;
  }
  if (!cost) {
    result.payback_reason = "the campaign's cost is not given: campaign_cost_usd or its lines";
    return;
  }
  result.payback_days = mapped(
      *result.saving_usd_per_month, [&](double saving) { return payback_days(terms, *cost, saving); }, true);
  result.net_usd =
      mapped(*result.saving_usd_per_month, [&](double saving) { return net_over_horizon(terms, *cost, saving); });
  if (std::isfinite(result.payback_days->value)) return;
  result.payback_days.reset();
  result.payback_reason =
      result.saved_fraction.value > 0.0 ? "never: upkeep costs more than is saved" : "never: nothing is saved";
}

void fill_break_even(RoiResult& result, const Terms& terms, const std::optional<double>& cost) {
  if (!cost || !result.saving_usd_per_month) {
    result.break_even_reason = cost ? result.saving_reason : "the campaign's cost is not given";
    return;
  }
  const double needed = needed_saving(terms, *cost).value_or(kInfinite);
  result.break_even_speedup = break_even_speedup(result.hot_fraction.value, needed);
  if (result.break_even_speedup) return;
  result.break_even_reason = "none within " + number_text(terms.horizon_months) + " months: " + percent_text(needed) +
                             " of the workload must be saved, the kernel has " +
                             percent_text(result.hot_fraction.value);
}

void fill_money(RoiResult& result, const Inputs& inputs) {
  const Terms terms = terms_of(inputs.money);
  const CampaignCost cost = campaign_cost(inputs.money);
  result.campaign_cost_usd = cost.usd;
  result.horizon_months = terms.horizon_months;
  result.left_out = cost.left_out;
  fill_saving(result, terms);
  fill_payback(result, terms, cost.usd);
  fill_break_even(result, terms, cost.usd);
  if (!terms.usd_per_hour) return;
  result.assumptions = terms.assumptions;
  result.assumptions.push_back(inputs.prices_as_of.empty() ? "prices are as given and carry no date"
                                                           : "prices as of " + inputs.prices_as_of);
}

void fill_mde(RoiResult& result, const Inputs& inputs) {
  const double cv = inputs.e2e_cv.value_or(kAssumedCv);
  RoiMde mde{inputs.e2e_runs, cv, end_to_end_mde(cv, static_cast<double>(inputs.e2e_runs)), std::nullopt};
  const double saved = std::fabs(result.saved_fraction.value);
  if (saved > 0.0) {
    // An effect so small that no count of runs resolves it has no number of runs.
    const double runs = runs_to_resolve(cv, saved);
    if (runs < 1e9) mde.runs_needed = std::max<std::int64_t>(static_cast<std::int64_t>(runs), 2);
  }
  result.e2e_mde = mde;
  if (!inputs.e2e_cv) {
    result.assumptions.push_back("end-to-end runs vary by " + percent_text(cv, 2) + " (coefficient of variation)");
  }
}

void fill_setup(RoiResult& result, const Inputs& inputs) {
  if (!inputs.setup_s || !inputs.call_s) return;
  const double saved = *inputs.call_s * (1.0 - 1.0 / result.speedup.value);
  result.setup_break_even_calls = setup_break_even_calls(*inputs.setup_s, saved);
}

bool any_shape(const Inputs& inputs, bool (*predicate)(const ShapeInput&)) {
  return std::any_of(inputs.kernels.begin(), inputs.kernels.end(), [&](const KernelInput& kernel) {
    return std::any_of(kernel.shapes.begin(), kernel.shapes.end(), predicate);
  });
}

void fill_notes(RoiResult& result, const Inputs& inputs) {
  std::vector<std::string>& notes = result.assumptions;
  notes.push_back(result.observed ? "observed end to end" : "predicted, not observed");
  if (inputs.share_is_ceiling) {
    notes.push_back("the share is of device time: wall time is not known, so every figure is a ceiling");
  }
  if (any_shape(inputs, [](const ShapeInput& shape) { return shape.status == SpeedStatus::not_audited; })) {
    notes.push_back("shapes that were not audited count as 1.0x");
  }
  if (any_shape(inputs, [](const ShapeInput& shape) { return shape.status == SpeedStatus::failed; })) {
    notes.push_back(inputs.dispatch_share > 0.0
                        ? "failed shapes fall back at 1.0x, less the cost of dispatching"
                        : "failed shapes fall back at 1.0x; choosing between kernels costs nothing");
  }
  if (any_shape(inputs, [](const ShapeInput& shape) { return shape.alternative_speedup != 1.0; })) {
    notes.push_back("only what the candidate saves beyond the alternative is credited");
  }
  notes.insert(notes.end(), inputs.notes.begin(), inputs.notes.end());
}

/// The slowest and fastest payback that the percentiles allow.
Quantiles payback_range(const RoiResult& result) {
  if (!result.payback_days) return {kInfinite, kInfinite, kInfinite};
  const double value = result.payback_days->value;
  return result.payback_days->spread.value_or(Quantiles{value, value, value});
}

void decide_by_payback(RoiResult& result, double limit) {
  check_positive("max_payback_days", limit);
  if (!result.saving_usd_per_month || !result.campaign_cost_usd) {
    return result.reasons.push_back("max_payback_days can't be checked: " + result.payback_reason);
  }
  const Quantiles days = payback_range(result);
  if (days.p95 <= limit) result.gate = RoiGate::deploy;
  if (days.p05 > limit) result.gate = RoiGate::do_not_deploy;
  if (!result.payback_days) return result.reasons.push_back("payback " + result.payback_reason);
  const std::string range =
      days.p05 == days.p95 ? fixed_text(days.p50, 1) : fixed_text(days.p05, 1) + " to " + fixed_text(days.p95, 1);
  result.reasons.push_back("payback of " + range + " days against a limit of " + number_text(limit) +
                           (result.gate == RoiGate::none ? ": the interval straddles it" : ""));
}

void decide(RoiResult& result, const Inputs& inputs) {
  const double saved = result.saved_fraction.value;
  if (inputs.verdict_failed) {
    result.reasons.push_back("the candidate broke the contract: no speed-up is credited");
  } else if (saved <= 0.0) {
    result.reasons.push_back("the workload gets no faster: saved fraction " + percent_text(saved, 4));
  }
  if (!result.reasons.empty()) {
    result.gate = RoiGate::do_not_deploy;
  } else if (inputs.money.max_payback_days) {
    decide_by_payback(result, *inputs.money.max_payback_days);
  }
}

}  // namespace

KernelInput single_kernel(std::string name, Quantiles share, Quantiles speedup) {
  ShapeInput shape;
  shape.time_s = 1.0;
  shape.speedup = speedup;
  return {std::move(name), share, {shape}};
}

std::vector<RoiPoint> curve_of(double share, double speedup) {
  constexpr int kPoints = 41;
  const double most = std::clamp(std::isfinite(speedup) ? speedup * 4.0 : 1e3, 16.0, 1e6);
  std::vector<RoiPoint> points;
  for (int i = 0; i < kPoints; ++i) {
    const double s = std::pow(most, static_cast<double>(i) / (kPoints - 1));
    const std::array<Part, 1> part{{{share, s, 1.0}}};
    points.push_back({s, end_to_end_speedup(part)});
  }
  return points;
}

RoiResult assess(const Inputs& inputs) {
  check(inputs);
  RoiResult result;
  result.source = inputs.source;
  const std::vector<KernelInput> kernels = credited(inputs);
  fill_amdahl(result, kernels, inputs);
  fill_shapes(result, kernels);
  fill_roofline(result, kernels);
  fill_claim(result, inputs);
  fill_money(result, inputs);
  fill_setup(result, inputs);
  fill_mde(result, inputs);
  fill_notes(result, inputs);
  decide(result, inputs);
  return result;
}

}  // namespace assay::roi
