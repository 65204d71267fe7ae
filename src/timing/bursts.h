#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/seed.h"

namespace assay::timing {

/// What is known before counting: of the baseline and the null subject only, never of the candidate.
struct BurstInput {
  double call_s = 0.0;          ///< one call of the baseline, roughly
  double null_burst_s = 0.0;    ///< wall time of a null subject's burst
  double null_spread_s = 0.0;   ///< its standard deviation
  std::int64_t most_calls = 0;  ///< as many called slots as memory allows (`slots_for`)
  double target_s = 0.0;        ///< shortest longest burst that is wanted anyway
};

/// Bursts of k, 2k, … Nk calls.
struct Bursts {
  std::vector<std::int64_t> lengths;  ///< ascending, equally spaced
  std::int64_t longest() const { return lengths.back(); }
};
/// No burst fits: calls are timed one by one.
struct Singles {
  std::string reason;
};
using BurstPlan = std::variant<Bursts, Singles>;

/// N = 4 lengths. The longest lasts 20 null bursts, 200 standard deviations of one, and `target_s`, whichever is
/// longest, as far as slots allow; so the null's noise adds at most 0.5 % to a burst. Singles where fewer than 4 calls
/// fit, or where one call lasts that long already.
BurstPlan choose_bursts(const BurstInput& input);

/// Slots of one burst: twice as many are prepared as are called (decoys).
inline constexpr std::int64_t kSlotsPerCall = 2;

/// Called slots that fit into `memory_bytes` with their decoys; 0 where not even one does.
std::int64_t calls_that_fit(std::int64_t memory_bytes, std::int64_t set_bytes);

/// Which slots are called, in which order: `calls` different numbers below kSlotsPerCall * calls, uniformly.
std::vector<std::int64_t> draw_called(Random& random, std::int64_t calls);

/// Distinct buffer sets for cold calls by rotation: ceil(5 x cache / set) + 1, at least 2; 1 where a set is >= 5 x
/// cache.
std::int64_t cold_sets(std::int64_t cache_bytes, std::int64_t set_bytes);

/// Hot bursts: `calls` slots and their decoys fit the cache together.
struct HotBursts {
  std::int64_t calls = 0;
};
struct HotSingles {
  std::string reason;
};
/// One set exceeds the cache: hot and cold are the same measurement.
struct HotIsCold {};
using HotPlan = std::variant<HotBursts, HotSingles, HotIsCold>;
HotPlan choose_hot(std::int64_t cache_bytes, std::int64_t set_bytes);

/// Cost of one call, in seconds.
struct CallCost {
  double seconds = 0.0;
};
/// The burst took no longer than the null subject's: it can't be resolved, or nothing was done.
struct NotAboveNull {
  double burst_s = 0.0, null_s = 0.0;
};
using BurstCost = std::variant<CallCost, NotAboveNull>;

/// (wall of the longest burst - wall of a null subject's burst of that length) / calls: the subject's own intercept is
/// never subtracted (TIMING.md, "Design", 2).
BurstCost burst_cost(double wall_s, double null_wall_s, std::int64_t calls);

inline constexpr double kCallBound = 1.3;  ///< BackendBench's limit

struct NotCallBound {};
struct CallBound {
  double share = 0.0;  ///< of the call's time that an empty call takes too, at most 1
};
using CallBoundness = std::variant<NotCallBound, CallBound>;

/// Call-bound: one call takes less than 1.3 empty calls, both as single round trips or both per launch.
CallBoundness call_boundness(double call_s, double empty_s);

}  // namespace assay::timing
