#include "timing/consistency.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.h"
#include "timing/distribution.h"
#include "timing/text.h"

namespace assay::timing {
namespace {

constexpr double kFastestOverMedian = 0.5;

Evidence shares(const Interval& x, double margin, double level) {
  return {{"share", x.estimate}, {"share_low", x.low}, {"share_high", x.high},
          {"margin", margin},    {"level", level},     {"process_pairs", std::int64_t{x.n}}};
}

/// Consistent or Unmeasured as `excess` says, else the suspicion that `accuse` makes of the interval.
template <class Accuse>
Consistency verdict_on(const Excess& excess, Accuse accuse) {
  if (const auto* few = std::get_if<TooFew>(&excess)) return Unmeasured{too_few_text(*few)};
  if (const auto* above = std::get_if<Above>(&excess)) return accuse(above->interval);
  return Consistent{};
}

Consistency event_above_wall(std::span<const EventAndWall> pairs, const EventRules& rules) {
  std::vector<double> excess;
  for (const EventAndWall& p : pairs) excess.push_back(p.event_s / p.wall_s - 1.0);
  return verdict_on(exceeds(excess, rules.epsilon, 0.5 * rules.level), [&](const Interval& x) {
    return Suspicion{
        "E7", "the worker's events claim " + percent_text(x.estimate) + " more time than passed by the judge's clock",
        shares(x, rules.epsilon, rules.level)};
  });
}

/// wall - event beyond the allowance, as a share of wall; the allowance is the margin 0 of the test.
double hidden_share(const EventAndWall& p, const EventRules& rules) {
  const double allowed = std::max({rules.share * p.wall_s, rules.seconds, p.reference_wall_s - p.reference_event_s});
  return (p.wall_s - p.event_s - allowed) / p.wall_s;
}

Consistency wall_above_event(std::span<const EventAndWall> pairs, const EventRules& rules) {
  std::vector<double> hidden;
  for (const EventAndWall& p : pairs) hidden.push_back(hidden_share(p, rules));
  return verdict_on(exceeds(hidden, 0.0, 0.5 * rules.level), [&](const Interval& x) {
    return Suspicion{"E1",
                     percent_text(x.estimate) +
                         " of the time passes outside the worker's events, beyond what the reference " +
                         "shows: hidden work or another stream",
                     shares(x, rules.share, rules.level)};
  });
}

}  // namespace

Consistency check_single_against_burst(std::span<const SingleAndBurst> pairs, double margin, double level,
                                       double cold_start_s) {
  std::vector<double> cheaper;
  for (const SingleAndBurst& p : pairs) {
    if (!(p.single_s > 0.0)) return Unmeasured{"a single call takes no longer than the null subject's"};
    const double honest = std::max(0.0, p.baseline_single_s - p.baseline_burst_s) + cold_start_s;
    cheaper.push_back((p.single_s - p.burst_s - honest) / p.single_s);
  }
  return verdict_on(exceeds(cheaper, margin, level), [&](const Interval& x) {
    return Suspicion{"A8",
                     "a call in a burst is cheaper than a single one by " + percent_text(x.estimate) +
                         " of it, beyond what the baseline shows: calls are batched or skipped",
                     shares(x, margin, level)};
  });
}

Consistency check_events(std::span<const EventAndWall> pairs, const EventRules& rules) {
  const bool usable = std::all_of(pairs.begin(), pairs.end(), [](const EventAndWall& p) {
    return std::isfinite(p.event_s) && std::isfinite(p.reference_event_s) && p.event_s > 0.0 &&
           p.reference_event_s > 0.0;
  });
  if (!usable) return Unmeasured{"event times are not positive numbers and were ignored"};
  for (const EventAndWall& p : pairs) {
    if (!(p.wall_s > 0.0)) throw Error("timing: the judge's clock gave a wall time that is not positive");
  }
  Consistency early = event_above_wall(pairs, rules);
  return std::holds_alternative<Consistent>(early) ? wall_above_event(pairs, rules) : early;
}

Consistency check_speedups(const Estimate& by_wall, const Estimate& by_event) {
  const auto* wall = std::get_if<Interval>(&by_wall);
  const auto* event = std::get_if<Interval>(&by_event);
  if (wall == nullptr || event == nullptr) return Unmeasured{"one of the two speed-ups has no interval"};
  if (wall->low <= event->high && event->low <= wall->high) return Consistent{};
  return Suspicion{
      "E6",
      "the speed-up is " + range_text(*wall) + " by the judge's clock and " + range_text(*event) +
          " by the worker's events",
      {{"wall_low", wall->low}, {"wall_high", wall->high}, {"event_low", event->low}, {"event_high", event->high}}};
}

Consistency check_processors(double processor_s, double wall_s, std::int64_t threads, double slack) {
  if (!(wall_s > 0.0)) return Unmeasured{"no wall time to compare processor time with"};
  const double used = processor_s / wall_s;
  if (used <= static_cast<double>(threads) + slack) return Consistent{};
  return Suspicion{"F9",
                   "the subject used " + std::to_string(used) + " processors where the contract allows " +
                       std::to_string(threads) + " threads",
                   {{"processors", used}, {"threads", threads}, {"processor_s", processor_s}, {"wall_s", wall_s}}};
}

Consistency check_idle(double processor_s, double gaps_s, double allowed_s) {
  if (processor_s <= allowed_s) return Consistent{};
  return Suspicion{"A15",
                   "the worker used " + microseconds_text(processor_s) +
                       " of processor time between calls, while it was " + "stopped; " + microseconds_text(allowed_s) +
                       " are allowed",
                   {{"processor_s", processor_s}, {"gaps_s", gaps_s}, {"allowed_s", allowed_s}}};
}

Consistency check_shape(std::span<const double> seconds) {
  if (seconds.empty()) return Unmeasured{"no times"};
  const Summary s = summarise(seconds);
  if (s.min_s < kFastestOverMedian * s.p50_s) {
    return Suspicion{
        "E20",
        "the fastest call takes " + ratio_text(s.min_s / s.p50_s) + " of the median: suspected of cached answers",
        {{"min_s", s.min_s}, {"p50_s", s.p50_s}, {"p99_s", s.p99_s}}};
  }
  const Modes modes = modes_of(seconds);
  if (const auto* few = std::get_if<TooFewForModes>(&modes)) {
    return Unmeasured{std::to_string(few->have) + " times where modes need " + std::to_string(few->need)};
  }
  const auto* two = std::get_if<TwoModes>(&modes);
  if (two == nullptr) return Consistent{};
  return Suspicion{"E20",
                   "times fall into two groups, around " + microseconds_text(two->lower_s) + " and " +
                       microseconds_text(two->upper_s) + ": some calls do less",
                   {{"lower_s", two->lower_s},
                    {"upper_s", two->upper_s},
                    {"upper_share", two->upper_share},
                    {"separation", two->separation}}};
}

}  // namespace assay::timing
