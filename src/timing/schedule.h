#pragma once
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "core/seed.h"

namespace assay::timing {

enum class Who : std::uint8_t { baseline, candidate, null };
enum class Purpose : std::uint8_t {
  pair,    ///< longest bursts of both sides next to each other, and a null burst of that length
  ladder,  ///< one shorter burst length, both sides and null: the slope diagnostic
  single,  ///< one call at a time, inputs written only after the last reply
};
std::string_view name_of(Who who);
std::string_view name_of(Purpose purpose);

/// One burst (or one call).
struct Turn {
  Who who = Who::baseline;
  std::int64_t calls = 1;
  int pair = 0;  ///< within the round: its baseline and its candidate turn with the same number are compared
};

/// Turns that run back to back, with nothing of another round between them.
struct Round {
  Purpose purpose = Purpose::pair;
  std::vector<Turn> turns;
};

/// How the two sides of a pair are ordered: a fair coin for each pair, or blocks of two pairs, ABBA or BAAB by a coin.
enum class Ordering : std::uint8_t { coin, abba };

/// What one process pair does; fixed before anything of the candidate is timed.
struct Counts {
  int pairs = 0;          ///< of longest bursts
  int ladder_rounds = 0;  ///< at each shorter length
  int single_rounds = 0;
};

/// All rounds of one process pair in a random order. `lengths` ascending; its last is the longest burst ({1} where only
/// single calls fit: then pairs are single calls). With abba an odd pair count is rounded up.
std::vector<Round> draw_schedule(Random& random, const std::vector<std::int64_t>& lengths, const Counts& counts,
                                 Ordering ordering);

/// What fixed counts are chosen from: costs of the baseline, of the judge, and the time allowed.
struct Budget {
  double seconds = 10.0;          ///< for all process pairs together
  double process_start_s = 0.0;   ///< both workers of a pair
  double call_s = 0.0;            ///< one call of the baseline
  double judge_per_call_s = 0.0;  ///< fill, poison, compare: for each call
  double judge_per_turn_s = 0.0;  ///< round trip, stop and continue: for each turn
  int processes = 6;              ///< `units_needed` of the level
};

struct OverBudget {
  double needed_s = 0.0;  ///< for the fewest pairs that make sense
};
struct FixedCounts {
  int processes = 0;
  Counts counts;
  double expected_s = 0.0;
};
using CountPlan = std::variant<FixedCounts, OverBudget>;

inline constexpr int kFewestPairs = 5;  ///< per process pair
inline constexpr int kMostPairs = 100;  ///< more would only sharpen what differs between processes anyway

/// As many pairs as fit, the same in every process pair; one ladder round a length and one single round for each five
/// pairs, at least three. Chosen before looking: there is no stopping rule.
CountPlan choose_counts(const Budget& budget, const std::vector<std::int64_t>& lengths);

}  // namespace assay::timing
