#include "reports/speed_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/text.h"

namespace assay::reports {
namespace {

constexpr int kListed = 3;

using Rows = std::vector<std::vector<std::string>>;

std::string time_text(double seconds) {
  return seconds > 0 ? duration(seconds) : "-";
}

std::string percent(double share) {
  return fmt::format("{:.2g} %", 100.0 * share);
}

std::string ratio_text(const std::optional<SpeedInterval>& x) {
  return x ? fmt::format("{:.3f}x [{:.3f}, {:.3f}]", x->estimate, x->low, x->high) : "-";
}

void add_single_calls(Page& page, const SpeedSection& speed) {
  if (speed.shapes.empty()) return;
  page.heading("Time of single checked calls by the judge's clock (medians; no claim about speed-up)");
  Rows rows{{"shape", "calls", "reference", "candidate"}};
  for (const SpeedRow& row : speed.shapes) {
    rows.push_back({row.shape, std::to_string(row.calls), time_text(row.reference_s), time_text(row.candidate_s)});
  }
  page.table(rows, 1);
}

std::string answer(const RegimeSpeed& mix) {
  std::string text = "production mix, " + mix.regime + ": " + mix.effect + ", " + ratio_text(mix.speedup);
  if (mix.detectable) text += "; effects from " + percent(*mix.detectable) + " on are seen";
  return mix.reason.empty() ? text : text + " (" + mix.reason + ")";
}

std::vector<std::string> regime_row(const SpeedRow& row, const RegimeSpeed& regime) {
  return {row.shape,
          regime.regime,
          regime.effect,
          ratio_text(regime.speedup),
          time_text(regime.baseline_s),
          time_text(regime.candidate_s),
          time_text(regime.candidate_p99_s)};
}

void add_regimes(Page& page, const SpeedSection& speed) {
  Rows rows{{"shape", "regime", "effect", "speed-up", "baseline", "candidate", "its p99"}};
  for (const SpeedRow& row : speed.shapes) {
    for (const RegimeSpeed& regime : row.regimes) rows.push_back(regime_row(row, regime));
  }
  page.table(rows, 3);
}

/// Memory-bound operators are told in bytes, the others in operations.
std::string rate_text(const SpeedStanding& at) {
  return at.memory_limits ? fmt::format("{:.3g} GB/s", 1e-9 * at.bytes_per_s)
                          : fmt::format("{:.3g} GFLOP/s", 1e-9 * at.flops_per_s);
}

void add_shape_facts(Page& page, const SpeedRow& row) {
  if (row.method.empty() && row.notes.empty()) return;
  std::string text = row.method;
  const bool said = row.standing && row.standing->kind == "call-bound";
  if (row.call_bound && !said) text += "; call-bound: less than 1.3 empty calls";
  if (row.standing) {
    text += fmt::format("; {}, {}, {:.0f} % of the roofline, {:.1f}x left", row.standing->kind,
                        rate_text(*row.standing), 100.0 * row.standing->share, row.standing->headroom);
  }
  if (row.candidate_first_call_s > 0) {
    text += "; first call " + time_text(row.candidate_first_call_s) + ", the baseline's " +
            time_text(row.baseline_first_call_s);
  }
  for (const std::string& note : row.notes) text += (text.empty() ? "" : "; ") + note;
  page.field(row.shape, text);
}

/// Shapes that weren't timed are many or few: many are counted.
void add_facts(Page& page, const SpeedSection& speed) {
  const auto untimed = [](const SpeedRow& row) { return row.method.empty() && !row.notes.empty(); };
  const auto many = std::count_if(speed.shapes.begin(), speed.shapes.end(), untimed);
  for (const SpeedRow& row : speed.shapes) {
    if (!untimed(row) || many <= kListed) add_shape_facts(page, row);
  }
  if (many > kListed)
    page.field("not timed", std::to_string(many) + " other shapes of production; the report lists them");
}

void add_ground(Page& page, const SpeedSection& speed) {
  if (speed.control) {
    page.field("control", "the baseline against itself: " + ratio_text(speed.control) +
                              (speed.fit ? ": fit" : ": not within " + percent(speed.delta) + " of 1: unfit"));
  }
  if (speed.candidate_load_s > 0) {
    page.field("load", time_text(speed.candidate_load_s) + ", the baseline's " + time_text(speed.baseline_load_s));
  }
  if (speed.peaks) {
    page.field("peaks", fmt::format("{:.3g} GB/s, {:.3g} GFLOP/s in float32, {:.3g} in float64 ({})",
                                    1e-9 * speed.peaks->bytes_per_s, 1e-9 * speed.peaks->f32_flops_per_s,
                                    1e-9 * speed.peaks->f64_flops_per_s, speed.peaks->instructions));
  }
  page.field("campaign", speed.campaign);
  for (const std::string& disturbance : speed.disturbances) page.field("beside", disturbance);
}

}  // namespace

void add_speed(Page& page, const SpeedSection& speed) {
  const bool timed =
      std::any_of(speed.shapes.begin(), speed.shapes.end(), [](const SpeedRow& row) { return !row.regimes.empty(); });
  if (!timed) {
    add_single_calls(page, speed);
    if (!speed.untimed.empty()) page.line("No speed-up was measured: " + speed.untimed + ".");
    return;
  }
  page.heading("Speed, baseline against candidate, by the judge's clock");
  if (speed.mix) page.line(answer(*speed.mix));
  add_regimes(page, speed);
  add_facts(page, speed);
  add_ground(page, speed);
}

}  // namespace assay::reports
