#include "reports/roi_page.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "reports/text.h"

namespace assay::reports {
namespace {

using Rows = std::vector<std::vector<std::string>>;
using Print = std::string (*)(double);

/// Half away from zero (ROI.md, "Conventions"); printf would round half to even.
double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::isfinite(value * scale) ? std::round(value * scale) / scale : value;
}

std::string times(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}x", rounded(value, 4)) : "without limit";
}
std::string percent(double value) {
  return fmt::format("{:.4f} %", rounded(value * 100.0, 4));
}
std::string short_percent(double value) {
  return fmt::format("{:.1f} %", rounded(value * 100.0, 1));
}
std::string days(double value) {
  return std::isfinite(value) ? fmt::format("{:.1f} days", rounded(value, 1)) : "never";
}
std::string usd(double value) {
  const double cents = rounded(value, 2);
  std::string digits = fmt::format("{:.2f}", std::fabs(cents));
  for (std::size_t at = digits.find('.'); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return (cents < 0.0 ? "-$" : "$") + digits;
}

/// "12.5 % (p05 10 %, p50 12.4 %, p95 15 %)".
std::string shown(const RoiEstimate& estimate, Print print) {
  if (!estimate.spread) return print(estimate.value);
  const Quantiles& q = *estimate.spread;
  return fmt::format("{} (p05 {}, p50 {}, p95 {})", print(estimate.value), print(q.p05), print(q.p50), print(q.p95));
}

std::string shown_or(const std::optional<RoiEstimate>& estimate, Print print, const std::string& reason) {
  return estimate ? shown(*estimate, print) : reason;
}

/// Long names differ at their ends as often as at their beginnings.
std::string shortened(const std::string& name, std::size_t width) {
  const std::u32string points = decode(valid_utf8(name));
  if (points.size() <= width) return name;
  const std::size_t tail = width / 3;
  std::string text;
  for (char32_t point : points.substr(0, width - tail - 1)) append_utf8(text, point);
  text += "…";
  for (char32_t point : points.substr(points.size() - tail)) append_utf8(text, point);
  return text;
}

Tone tone_of(RoiGate gate) {
  constexpr std::array<Tone, 5> kTones{Tone::doubt, Tone::good, Tone::bad, Tone::good, Tone::bad};
  return kTones[static_cast<std::size_t>(gate)];
}

void add_side_by_side(Page& page, const RoiResult& result) {
  if (!result.claimed_speedup && !result.roofline_ceiling_speedup && !result.audited_lower_speedup) return;
  const auto cell = [](const std::optional<double>& value) { return value ? times(*value) : std::string("-"); };
  page.table({{"claimed", "audited, lower end", "end-to-end ceiling", "with the roofline", "claimed / audited"},
              {cell(result.claimed_speedup), cell(result.audited_lower_speedup), times(result.ceiling_speedup.value),
               cell(result.roofline_ceiling_speedup), cell(result.inflation)}},
             0);
}

void add_shapes(Page& page, const RoiResult& result) {
  if (result.per_shape.size() < 2) return;
  Rows rows{{"shape", "speed", "share", "speed-up", "saved"}};
  for (const RoiShapeRow& row : result.per_shape) {
    rows.push_back({row.shape, std::string(name_of(row.status)), percent(row.share), times(row.speedup),
                    percent(row.saved_fraction)});
  }
  page.table(rows, 2);
}

void add_money(Page& page, const RoiResult& result) {
  page.field("saving", shown_or(result.saving_usd_per_month, usd, result.saving_reason) +
                           (result.saving_usd_per_month ? " a month" : ""));
  page.field("payback", shown_or(result.payback_days, days, result.payback_reason));
  page.field("pays from", result.break_even_speedup ? times(*result.break_even_speedup) : result.break_even_reason);
  if (result.net_usd) {
    page.field("net", fmt::format("{} over {} months, campaign {}", shown(*result.net_usd, usd),
                                  shortest(*result.horizon_months), usd(*result.campaign_cost_usd)));
  }
  if (result.setup_break_even_calls) {
    page.field("set-up", fmt::format("paid back after {:.0f} calls", std::ceil(*result.setup_break_even_calls)));
  }
}

void add_mde(Page& page, const RoiResult& result) {
  if (!result.e2e_mde) return;
  const RoiMde& mde = *result.e2e_mde;
  page.field("resolved",
             fmt::format("{} runs of each side resolve {} end to end{}", mde.runs, short_percent(mde.fraction),
                         mde.runs_needed ? fmt::format("; this needs {}", *mde.runs_needed) : ""));
}

void add_list(Page& page, std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  page.heading(title);
  for (const std::string& line : lines) page.bullet(line);
}

void add_trace(Page& page, const RoiTrace& trace) {
  page.heading("Trace: " + trace.path + " (" + trace.format + ")");
  Rows rows{{"kernel", "calls", "of kernel time"}};
  for (const RoiMatch& match : trace.matches) {
    rows.push_back({shortened(match.name, 60), std::to_string(match.calls), percent(match.kernel_share)});
  }
  page.table(rows, 1);
  page.field("kernels",
             percent(trace.kernel_share) + fmt::format(" of kernel time ({} matched, {} not)",
                                                       duration(trace.matched_s), duration(trace.unmatched_s)));
  if (!trace.wall_share) return page.field("wall", "wall time is not known");
  page.field("wall", percent(*trace.wall_share) + " of wall time while nothing else ran" +
                         (trace.active_share ? ", " + percent(*trace.active_share) + " while it ran" : "") +
                         (trace.busy_share ? ", device busy " + percent(*trace.busy_share) : ""));
}

void add_ranking(Page& page, const RoiRanking& ranking) {
  page.heading("What to optimise first: " + ranking.path + " (" + ranking.format + ")");
  Rows rows{{"kernel", "detectable", "of kernel time", ranking.ceiling ? "of device time" : "of wall time", "roofline",
             "most to be gained"}};
  for (const RoiRankRow& row : ranking.rows) {
    rows.push_back({shortened(row.name, 48),
                    !row.replaceable ? "not replaceable"
                    : row.detectable ? "yes"
                                     : "no",
                    short_percent(row.kernel_share), short_percent(row.share),
                    row.roofline ? short_percent(*row.roofline) : "unknown", short_percent(row.most_gained)});
  }
  page.table(rows, 2);
  if (ranking.rest_share > 0.0) page.bullet(short_percent(ranking.rest_share) + " in kernels that are not listed");
  page.bullet("detectable: at least " + short_percent(ranking.mde) + " of the workload");
  page.bullet("without a known roofline the whole share counts as what could be gained");
  for (const std::string& note : ranking.notes) page.bullet(note);
}

void add_gate(Page& page, const RoiResult& result) {
  if (result.gate != RoiGate::none || !result.reasons.empty()) {
    page.line(info(result.gate).words, tone_of(result.gate));
  }
  for (const std::string& reason : result.reasons) page.bullet(reason);
  for (const std::string& better : result.better) page.bullet("would pay instead: " + better);
}

}  // namespace

void add_roi(Page& page, const RoiResult& result) {
  page.heading(result.observed ? "Worth (observed)" : "Worth (predicted, not observed)");
  page.field("share", shown(result.hot_fraction, percent) + (result.source.empty() ? "" : ": " + result.source));
  page.field("kernel", shown(result.speedup, times));
  page.field("workload", shown(result.end_to_end_speedup, times));
  page.field("saved", shown(result.saved_fraction, percent));
  page.field("ceiling", shown(result.ceiling_speedup, times));
  add_money(page, result);
  add_mde(page, result);
  add_side_by_side(page, result);
  add_shapes(page, result);
  add_list(page, "Assumed", result.assumptions);
  add_list(page, "Left out", result.left_out);
}

std::string roi_to_console(const RoiAnswer& answer, const ConsoleStyle& style) {
  Page page(style);
  if (answer.result) add_gate(page, *answer.result);
  if (answer.ranking) add_ranking(page, *answer.ranking);
  if (answer.trace) add_trace(page, *answer.trace);
  if (answer.result) add_roi(page, *answer.result);
  std::string text = page.text();
  if (!answer.plot.empty()) text += "\n";
  for (const std::string& line : answer.plot) text += line + "\n";
  return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

std::string claim_to_console(const ClaimReport& report, const ConsoleStyle& style) {
  Page page(style);
  page.line(report.sentence, report.exit == 0 ? Tone::good : report.exit == 1 ? Tone::bad : Tone::doubt);
  page.field("claim", report.claim);
  page.field("source", report.source);
  if (report.table) {
    const ClaimReport::Table& table = *report.table;
    page.field("table", fmt::format("{} ({}): geometric mean {}, {} to {}, {} of {} workloads lose ({}), {} failed",
                                    table.path, table.format, times(table.geomean), times(table.low), times(table.high),
                                    table.losing, table.workloads, short_percent(table.losing_share), table.failed));
  }
  for (const std::string& note : report.notes) page.bullet(note);
  add_list(page, "The claim does not state", report.unstated);
  return page.text();
}

}  // namespace assay::reports
