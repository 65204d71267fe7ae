#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "timing/suspicion.h"

namespace assay::timing {

/// Costs per call of one process pair, medians: by single calls (wall less a null subject's single call) and in the
/// longest burst (`burst_cost`), for both subjects.
struct SingleAndBurst {
  double single_s = 0.0, burst_s = 0.0;
  double baseline_single_s = 0.0, baseline_burst_s = 0.0;
};

/// Batch and skip (A8): a burst's call cheaper than a single one by more than `margin` of the single call, beyond what
/// the baseline's single calls lose in the same process pairs (colder caches) and `cold_start_s`, which large code may
/// take longer than small code. `level` from the accusation budget.
Consistency check_single_against_burst(std::span<const SingleAndBurst> pairs, double margin, double level,
                                       double cold_start_s = 0.0);

/// Times of the same bursts by the judge's clock and by the worker's events, seconds per call, medians of one process
/// pair.
struct EventAndWall {
  double event_s = 0.0, wall_s = 0.0;
  double reference_event_s = 0.0, reference_wall_s = 0.0;
};

struct EventRules {
  double epsilon = 0.005;   ///< t_event <= t_wall (1 + epsilon)
  double share = 0.03;      ///< wall - event may be this share of wall …
  double seconds = 0.3e-6;  ///< … or this long, or what the reference shows, whichever is most
  double level = 1e-5;
};

/// Event times that exceed the wall (E7: timer suspect), or a wall that exceeds the events by more than the overhead
/// (E1: hidden work or another stream). Unmeasured where events are not positive numbers: they are unreliable, not
/// guilty.
Consistency check_events(std::span<const EventAndWall> pairs, const EventRules& rules);

/// Speed-ups by wall and by events, as intervals of ratios: disjoint intervals mean a suspect timer (E6).
Consistency check_speedups(const Estimate& by_wall, const Estimate& by_event);

/// Processor time of a call over its wall time against the threads allowed (F9), with `slack` more for clock ticks.
Consistency check_processors(double processor_s, double wall_s, std::int64_t threads, double slack = 0.1);

/// Processor time of a stopped worker between calls must be about zero (A15): at most `allowed_s` over all gaps.
Consistency check_idle(double processor_s, double gaps_s, double allowed_s);

/// The shape of one side's times: a minimum below half the median, or two modes, asks for more calls with fresh values
/// (E20); it does not convict by itself.
Consistency check_shape(std::span<const double> seconds);

}  // namespace assay::timing
