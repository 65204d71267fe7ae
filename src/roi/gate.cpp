#include "roi/gate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "roi/valid.h"

namespace assay::roi {
namespace {

/// The speed-up that saves `attainable` of what a kernel at its floor would save: 1/(1 - a (1 - r)).
double best_speedup(const ShapeInput& shape, double attainable) {
  const double left = 1.0 - attainable * (1.0 - shape.floor_ratio.value_or(0.0));
  return left > 0.0 ? 1.0 / left : std::numeric_limits<double>::infinity();
}

Inputs at_the_ceiling(const Inputs& inputs, double attainable) {
  Inputs best = inputs;
  best.verdict_failed = false;
  for (KernelInput& kernel : best.kernels) {
    for (ShapeInput& shape : kernel.shapes) {
      if (shape.floor_ratio) check_share("floor over today's time", *shape.floor_ratio);
      const double s = best_speedup(shape, attainable);
      shape.speedup = {s, s, s};
      shape.status = SpeedStatus::audited;
    }
  }
  return best;
}

/// How near its floor today's kernel is; nothing where any floor is unknown.
std::optional<double> roofline_reached(const RoiResult& result) {
  if (!result.roofline_ceiling_speedup || result.hot_fraction.value == 0.0) return std::nullopt;
  const double saved = 1.0 - 1.0 / *result.roofline_ceiling_speedup;
  return 1.0 - saved / result.hot_fraction.value;
}

/// Reasons that need no price.
void refuse_by_kernel(RoiResult& result, const GateRequest& request) {
  const GatePolicy& policy = request.policy;
  if (!request.inputs.money.replaceable) {
    result.reasons.push_back("not replaceable: the kernel sits behind a surface that can't be swapped");
  }
  const double share = result.hot_fraction.value;
  if (share < policy.min_share) {
    result.reasons.push_back("share too small: " + percent_text(share) + " of wall time, at least " +
                             percent_text(policy.min_share) + " is wanted");
  }
  const std::optional<double> reached = roofline_reached(result);
  if (reached && *reached >= policy.refuse_roofline) {
    result.reasons.push_back("already near the roofline: " + percent_text(*reached) + " of it, refused from " +
                             percent_text(policy.refuse_roofline));
  }
}

void refuse_by_previous(RoiResult& result, const std::optional<PreviousCampaign>& previous) {
  if (!previous) return;
  if (!previous->saved_fraction) {
    result.reasons.push_back("the last campaign's end-to-end return was not measured (" + previous->report +
                             "): measure it with 'assay e2e' before paying for another");
  } else if (previous->saved_fraction->p05 <= 0.0) {
    result.reasons.push_back("the last campaign's measured end-to-end return is not above zero: " +
                             percent_text(previous->saved_fraction->p05, 2) + " at its lower end (" + previous->report +
                             ")");
  }
}

double low_end(const RoiEstimate& estimate) {
  return estimate.spread ? estimate.spread->p05 : estimate.value;
}

/// Which of share, roofline and hours is to blame for a saving that does not pay.
std::string unpaid_reason(const RoiResult& result, const Terms& terms, double cost, double attainable) {
  const double needed = needed_saving(terms, cost).value_or(std::numeric_limits<double>::infinity());
  const double share = low_end(result.hot_fraction), best = low_end(result.saved_fraction);
  if (!std::isfinite(needed)) return "the accelerators cost nothing: no saving pays the campaign";
  if (needed >= share) {
    return "share too small for the cost: " + percent_text(needed) + " of the workload must be saved within " +
           number_text(terms.horizon_months) + " months, the kernel has " + percent_text(share);
  }
  const std::string limit = result.roofline_ceiling_speedup ? "the roofline"
                            : attainable < 1.0              ? "the attainable share"
                                                            : "the hours";
  const double hours = terms.accelerators * terms.hours_per_month * terms.horizon_months * needed / best;
  return "break-even needs " + fixed_text(share / (share - needed), 4) + "x, " + limit + " allows " +
         fixed_text(combined_speedup(std::vector<Part>{{share, share / (share - best), 1.0}}), 4) +
         "x; it would pay from " + fixed_text(std::ceil(hours), 0) + " accelerator hours";
}

void refuse_by_money(RoiResult& result, const Terms& terms, double attainable) {
  if (!result.net_usd || low_end(*result.net_usd) > 0.0) return;
  result.reasons.push_back(unpaid_reason(result, terms, *result.campaign_cost_usd, attainable));
}

/// What a kernel at its floor would save.
double most_gained(const OtherKernel& kernel) {
  return kernel.share * (1.0 - kernel.floor_ratio.value_or(0.0));
}

void name_better(RoiResult& result, std::vector<OtherKernel> others) {
  const double own = result.saved_fraction.value;
  std::erase_if(others, [&](const OtherKernel& other) { return most_gained(other) <= own; });
  std::stable_sort(others.begin(), others.end(),
                   [](const OtherKernel& a, const OtherKernel& b) { return most_gained(a) > most_gained(b); });
  for (const OtherKernel& other : others) {
    result.better.push_back(other.name + ": " + percent_text(other.share) + " of the time, at most " +
                            percent_text(most_gained(other)) + " to be gained");
  }
}

}  // namespace

RoiResult gate_before(const GateRequest& request) {
  const double attainable = request.inputs.money.attainable_share.value_or(1.0);
  check_share("attainable_share", attainable);
  RoiResult result = assess(at_the_ceiling(request.inputs, attainable));
  result.reasons.clear();
  result.gate = RoiGate::none;
  result.audited_lower_speedup.reset();
  result.inflation.reset();
  if (!request.inputs.money.attainable_share) {
    result.assumptions.push_back("all of the ceiling is attained (attainable_share = 1)");
  }
  refuse_by_kernel(result, request);
  refuse_by_previous(result, request.previous);
  refuse_by_money(result, terms_of(request.inputs.money), attainable);
  if (!result.reasons.empty()) {
    result.gate = RoiGate::do_not_search;
    name_better(result, request.others);
    return result;
  }
  if (!result.net_usd) {
    result.reasons.push_back("can't tell whether it pays: " + result.payback_reason);
    return result;
  }
  result.gate = RoiGate::fund;
  result.reasons.push_back("at its ceiling it nets at least " + usd_text(low_end(*result.net_usd)) + " over " +
                           number_text(*result.horizon_months) + " months");
  return result;
}

NextRound next_round(const LoopState& state) {
  check_share("share", state.share);
  check_not_negative("cost of the next round", state.next_cost_usd);
  if (state.window < 1) fail("the window of rounds must hold at least one");
  const double floor = state.floor_ratio.value_or(0.0);
  check_share("floor over today's time", floor);
  const auto time_at = [&](std::size_t done) {
    if (done == 0) return 1.0;
    check_positive("speed-up of a round", state.rounds[done - 1].speedup);
    return 1.0 / state.rounds[done - 1].speedup;
  };
  const std::size_t done = state.rounds.size();
  const double now = time_at(done);
  if (state.floor_ratio && floor / now >= state.stop_at_roofline) {
    return Stop{"at " + percent_text(floor / now) + " of the roofline: nothing is left to find"};
  }
  const std::size_t window = std::min(done, static_cast<std::size_t>(state.window));
  const double left = std::max(now - floor, 0.0);
  // Before the first round nothing is known but the ceiling: gate_before decides that.
  const double gain = done == 0 ? left : (time_at(done - window) - now) / static_cast<double>(window);
  const std::optional<double> all = state.terms.usd_per_month_of_all();
  if (!all) return Stop{"saved time has no price: the value of a round can't be told"};
  const double value = std::clamp(gain, 0.0, left) * state.share * *all * state.terms.horizon_months;
  if (value > state.next_cost_usd) return GoOn{value, state.next_cost_usd};
  return Stop{"the next round is worth " + usd_text(value) + " and costs " + usd_text(state.next_cost_usd)};
}

}  // namespace assay::roi
