#include "judge/speed/turns.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "timing/bursts.h"
#include "timing/distribution.h"

namespace assay {
namespace {

using timing::Purpose;
using timing::Who;

template <class Wanted>
std::vector<double> seconds_of(const ShapeTimes& times, Wanted wanted, double TurnTime::*which) {
  std::vector<double> found;
  for (const TurnTime& turn : times.turns) {
    if (wanted(turn)) found.push_back(turn.*which);
  }
  return found;
}

std::optional<double> median_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(timing::median(values));
}

/// The null subject's bursts are the same whatever the caches hold.
std::optional<double> null_of(const ShapeTimes& times, std::int64_t calls, double TurnTime::*which) {
  return median_of(seconds_of(
      times, [&](const TurnTime& t) { return t.who == Who::null && t.calls == calls; }, which));
}

std::optional<double> replied_of(const ShapeTimes& times, Regime regime, Who who, Purpose purpose, std::int64_t calls) {
  return median_of(seconds_of(
      times,
      [&](const TurnTime& t) { return t.who == who && t.purpose == purpose && t.regime == regime && t.calls == calls; },
      &TurnTime::replied_s));
}

/// Per call, beyond the null subject; kLeastCost where it isn't beyond it.
std::optional<double> cost_of(double wall_s, std::optional<double> null_s, std::int64_t calls) {
  if (!null_s) return std::nullopt;
  const timing::BurstCost cost = timing::burst_cost(wall_s, *null_s, calls);
  const auto* call = std::get_if<timing::CallCost>(&cost);
  return call ? std::max(call->seconds, kLeastCost) : kLeastCost;
}

std::int64_t longest_of(const ShapeTimes& times, Regime regime) {
  std::int64_t longest = 0;
  for (const TurnTime& t : times.turns) {
    if (t.purpose == Purpose::pair && t.regime == regime) longest = std::max(longest, t.calls);
  }
  return longest;
}

}  // namespace

void pool_nulls(std::span<std::vector<ProcessPair>* const> trials) {
  const auto each_null = [&](auto visit) {
    for (std::vector<ProcessPair>* pairs : trials) {
      for (ProcessPair& pair : *pairs) {
        for (ShapeTimes& shape : pair.shapes) {
          for (TurnTime& turn : shape.turns) {
            if (turn.who == Who::null) visit(turn);
          }
        }
      }
    }
  };
  for (double TurnTime::*which : {&TurnTime::wall_s, &TurnTime::replied_s, &TurnTime::told_s}) {
    std::map<std::int64_t, std::vector<double>> all;
    each_null([&](const TurnTime& turn) { all[turn.calls].push_back(turn.*which); });
    each_null([&](TurnTime& turn) { turn.*which = timing::median(all.at(turn.calls)); });
  }
}

std::optional<timing::ProcessTimes> costs_of(const ShapeTimes& times, Regime regime, double TurnTime::*which) {
  std::map<int, std::map<Who, double>> pairs;
  for (const TurnTime& turn : times.turns) {
    if (turn.purpose != Purpose::pair || turn.regime != regime || turn.who == Who::null) continue;
    const auto cost = cost_of(turn.*which, null_of(times, turn.calls, which), turn.calls);
    if (!cost) return std::nullopt;
    pairs[turn.pair][turn.who] = *cost;
  }
  timing::ProcessTimes costs;
  for (const auto& [number, sides] : pairs) {
    if (sides.size() != kSides) continue;
    costs.baseline_s.push_back(sides.at(Who::baseline));
    costs.candidate_s.push_back(sides.at(Who::candidate));
  }
  return costs.baseline_s.empty() ? std::nullopt : std::optional(std::move(costs));
}

std::vector<timing::ProcessTimes> times_of(const std::vector<ProcessPair>& pairs, std::size_t shape, Regime regime) {
  return gather<timing::ProcessTimes>(pairs, shape, [&](const ShapeTimes& t) { return costs_of(t, regime); });
}

std::optional<timing::Ladder> ladder_of(const ShapeTimes& times, Regime regime) {
  std::set<std::int64_t> lengths;
  for (const TurnTime& t : times.turns) {
    if (t.purpose == Purpose::ladder) lengths.insert(t.calls);
  }
  if (lengths.empty()) return std::nullopt;
  lengths.insert(longest_of(times, regime));
  timing::Ladder ladder;
  for (const std::int64_t calls : lengths) {
    const Purpose purpose = calls == *lengths.rbegin() ? Purpose::pair : Purpose::ladder;
    const auto subject = replied_of(times, regime, Who::candidate, purpose, calls);
    const auto baseline = replied_of(times, regime, Who::baseline, purpose, calls);
    const auto null = null_of(times, calls, &TurnTime::replied_s);
    if (!subject || !baseline || !null) return std::nullopt;
    ladder.calls.push_back(static_cast<double>(calls));
    ladder.subject_s.push_back(*subject);
    ladder.baseline_s.push_back(*baseline);
    ladder.null_s.push_back(*null);
  }
  return ladder.calls.size() < 3 ? std::nullopt : std::optional(std::move(ladder));
}

std::optional<timing::SingleAndBurst> single_and_burst(const ShapeTimes& times, Regime regime) {
  const auto costs = costs_of(times, regime, &TurnTime::replied_s);
  const auto null = null_of(times, 1, &TurnTime::replied_s);
  const auto single = replied_of(times, regime, Who::candidate, Purpose::single, 1);
  const auto baseline = replied_of(times, regime, Who::baseline, Purpose::single, 1);
  if (!costs || !null || !single || !baseline) return std::nullopt;
  return timing::SingleAndBurst{*single - *null, timing::median(costs->candidate_s), *baseline - *null,
                                timing::median(costs->baseline_s)};
}

std::optional<timing::EventAndWall> event_and_wall(const ShapeTimes& times, Regime regime) {
  const auto wall = costs_of(times, regime, &TurnTime::replied_s), told = costs_of(times, regime, &TurnTime::told_s);
  if (!wall || !told) return std::nullopt;
  return timing::EventAndWall{timing::median(told->candidate_s), timing::median(wall->candidate_s),
                              timing::median(told->baseline_s), timing::median(wall->baseline_s)};
}

ProcessorUse processor_use(const ShapeTimes& times) {
  ProcessorUse use;
  for (const TurnTime& turn : times.turns) {
    if (turn.who != Who::candidate || turn.purpose != Purpose::pair) continue;
    use.cpu_s += turn.cpu_s;
    use.wall_s += turn.wall_s;
  }
  return use;
}

}  // namespace assay
