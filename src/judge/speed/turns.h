#pragma once
#include <optional>
#include <span>
#include <vector>

#include "judge/speed/times.h"
#include "timing/consistency.h"
#include "timing/processes.h"
#include "timing/slope.h"

/// Bare times of one shape in one pair of processes as what timing/ takes.
namespace assay {

/// What a call costs at least: one that isn't above the null subject's can't be told from nothing.
inline constexpr double kLeastCost = 1e-9;

/// The null subject does the same whatever the shape and the processes beside it: its bursts of one length become their
/// median over all trials, so that one that the machine disturbed spoils no pair.
void pool_nulls(std::span<std::vector<ProcessPair>* const> trials);

/// Costs per call of both sides, pair by pair: wall of the burst less the median of the null subject's bursts of that
/// length, over the calls; or the same by another time of a turn. Nothing where a side has none.
///
/// What a call costs counts until the worker's threads stand. What is compared to accuse a subject doesn't: stopping a
/// pool of threads takes as long as a few short calls, whatever they did, and what one of them still does after the
/// answer shows in the outputs.
std::optional<timing::ProcessTimes> costs_of(const ShapeTimes& times, Regime regime,
                                             double TurnTime::*which = &TurnTime::wall_s);

/// What `from` makes of one shape in every pair of processes that has it.
template <class T, class From>
std::vector<T> gather(const std::vector<ProcessPair>& pairs, std::size_t shape, From from) {
  std::vector<T> all;
  for (const ProcessPair& pair : pairs) {
    if (auto one = from(pair.shapes[shape])) all.push_back(std::move(*one));
  }
  return all;
}

/// `costs_of` one shape in every pair of processes.
std::vector<timing::ProcessTimes> times_of(const std::vector<ProcessPair>& pairs, std::size_t shape, Regime regime);

/// Medians at every burst length; nothing with fewer than 3 lengths.
std::optional<timing::Ladder> ladder_of(const ShapeTimes& times, Regime regime);

/// Nothing where no single calls were made beside bursts.
std::optional<timing::SingleAndBurst> single_and_burst(const ShapeTimes& times, Regime regime);

std::optional<timing::EventAndWall> event_and_wall(const ShapeTimes& times, Regime regime);

/// Processor time of the candidate over its wall time in bursts; 0: not known.
struct ProcessorUse {
  double cpu_s = 0.0, wall_s = 0.0;
};
ProcessorUse processor_use(const ShapeTimes& times);

}  // namespace assay
