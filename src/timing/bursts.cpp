#include "timing/bursts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"

namespace assay::timing {
namespace {

constexpr std::int64_t kLengths = 4;
constexpr double kOverNull = 20.0;
constexpr double kOverNullSpread = 200.0;
constexpr std::int64_t kCacheFactor = 5;
constexpr std::int64_t kFewestHotSets = 4;

void require_bytes(std::int64_t cache_bytes, std::int64_t set_bytes) {
  if (cache_bytes > 0 && set_bytes > 0) return;
  throw Error("timing: the cache has " + std::to_string(cache_bytes) + " bytes and a buffer set " +
              std::to_string(set_bytes) + "; both must be positive");
}

/// a / b rounded up, without overflow.
std::int64_t ceiling(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace

BurstPlan choose_bursts(const BurstInput& input) {
  if (!(input.call_s > 0.0)) throw Error("timing: the baseline's call has no time yet; time it before planning bursts");
  const double wanted_s =
      std::max({input.target_s, kOverNull * input.null_burst_s, kOverNullSpread * input.null_spread_s});
  if (input.most_calls < kLengths) {
    return Singles{"memory holds slots for " + std::to_string(input.most_calls) + " calls, and a ladder needs " +
                   std::to_string(kLengths)};
  }
  if (input.call_s >= wanted_s) return Singles{"one call is long enough to be timed by itself"};
  const double steps = std::ceil(std::min(wanted_s / input.call_s, static_cast<double>(input.most_calls)) / kLengths);
  const std::int64_t k = std::min(static_cast<std::int64_t>(steps), input.most_calls / kLengths);
  Bursts bursts;
  for (std::int64_t i = 1; i <= kLengths; ++i) bursts.lengths.push_back(i * k);
  return bursts;
}

std::int64_t calls_that_fit(std::int64_t memory_bytes, std::int64_t set_bytes) {
  if (set_bytes <= 0) throw Error("timing: a buffer set without bytes can't be counted");
  return std::max<std::int64_t>(0, memory_bytes / set_bytes / kSlotsPerCall);
}

std::vector<std::int64_t> draw_called(Random& random, std::int64_t calls) {
  std::vector<std::int64_t> slots(static_cast<std::size_t>(kSlotsPerCall * calls));
  std::iota(slots.begin(), slots.end(), std::int64_t{0});
  for (std::size_t i = 0; i < static_cast<std::size_t>(calls); ++i) {
    std::swap(slots[i], slots[i + random.below(slots.size() - i)]);
  }
  slots.resize(static_cast<std::size_t>(calls));
  return slots;
}

std::int64_t cold_sets(std::int64_t cache_bytes, std::int64_t set_bytes) {
  require_bytes(cache_bytes, set_bytes);
  const std::int64_t flushed = kCacheFactor * cache_bytes;
  return set_bytes >= flushed ? 1 : std::max<std::int64_t>(2, ceiling(flushed, set_bytes) + 1);
}

HotPlan choose_hot(std::int64_t cache_bytes, std::int64_t set_bytes) {
  require_bytes(cache_bytes, set_bytes);
  const std::int64_t fit = cache_bytes / set_bytes;
  if (fit < 1) return HotIsCold{};
  if (fit < kFewestHotSets) {
    return HotSingles{"only " + std::to_string(fit) + " buffer sets fit the cache; hot is timed by single calls"};
  }
  return HotBursts{fit / kSlotsPerCall};
}

BurstCost burst_cost(double wall_s, double null_wall_s, std::int64_t calls) {
  if (calls < 1) throw Error("timing: a burst without calls has no cost");
  if (wall_s <= null_wall_s) return NotAboveNull{wall_s, null_wall_s};
  return CallCost{(wall_s - null_wall_s) / static_cast<double>(calls)};
}

CallBoundness call_boundness(double call_s, double empty_s) {
  if (!(call_s > 0.0)) throw Error("timing: a call without time can't be classed");
  if (call_s >= kCallBound * empty_s) return NotCallBound{};
  return CallBound{std::min(1.0, empty_s / call_s)};
}

}  // namespace assay::timing
