#include "timing/schedule.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace assay::timing {
namespace {

constexpr std::array<std::string_view, 3> kWho{"baseline", "candidate", "null"};
constexpr std::array<std::string_view, 3> kPurpose{"pair", "ladder", "single"};
constexpr int kPairsPerDiagnostic = 5;
constexpr int kFewestDiagnostics = 3;

template <class T>
void shuffle(Random& random, std::vector<T>& items) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

Who other(Who side) {
  return side == Who::baseline ? Who::candidate : Who::baseline;
}

/// The null burst stands before or after the pairs, never between the two sides of one.
void add_null(Random& random, Round& round, std::int64_t calls) {
  round.turns.insert(random.chance(0.5) ? round.turns.begin() : round.turns.end(), {Who::null, calls, 0});
}

Round pair_round(Random& random, Purpose purpose, std::int64_t calls, Ordering ordering) {
  const Who first = random.chance(0.5) ? Who::baseline : Who::candidate;
  Round round{purpose, {{first, calls, 0}, {other(first), calls, 0}}};
  if (ordering == Ordering::abba) {
    round.turns.push_back({other(first), calls, 1});
    round.turns.push_back({first, calls, 1});
  }
  add_null(random, round, calls);
  return round;
}

struct Load {
  double turns = 0.0, calls = 0.0;
};

/// Of one process pair, for both sides; null turns make no calls worth counting.
Load load_of(const Counts& counts, const std::vector<std::int64_t>& lengths) {
  Load load{3.0 * (counts.pairs + counts.single_rounds), 2.0 * (counts.pairs * lengths.back() + counts.single_rounds)};
  for (std::size_t i = 0; i + 1 < lengths.size(); ++i) {
    load.turns += 3.0 * counts.ladder_rounds;
    load.calls += 2.0 * static_cast<double>(counts.ladder_rounds * lengths[i]);
  }
  return load;
}

Counts counts_for(int pairs) {
  const int diagnostics = std::max(kFewestDiagnostics, pairs / kPairsPerDiagnostic);
  return {pairs, diagnostics, diagnostics};
}

double seconds_of(const Budget& budget, const Counts& counts, const std::vector<std::int64_t>& lengths) {
  const Load load = load_of(counts, lengths);
  return budget.processes * (budget.process_start_s + load.calls * (budget.call_s + budget.judge_per_call_s) +
                             load.turns * budget.judge_per_turn_s);
}

void require_lengths(const std::vector<std::int64_t>& lengths) {
  if (lengths.empty() || lengths.front() < 1) throw Error("timing: a schedule needs at least one burst length");
}

}  // namespace

std::string_view name_of(Who who) {
  return kWho[static_cast<std::size_t>(who)];
}
std::string_view name_of(Purpose purpose) {
  return kPurpose[static_cast<std::size_t>(purpose)];
}

std::vector<Round> draw_schedule(Random& random, const std::vector<std::int64_t>& lengths, const Counts& counts,
                                 Ordering ordering) {
  require_lengths(lengths);
  const int pairs_per_round = ordering == Ordering::abba ? 2 : 1;
  std::vector<Round> rounds;
  for (int done = 0; done < counts.pairs; done += pairs_per_round) {
    rounds.push_back(pair_round(random, Purpose::pair, lengths.back(), ordering));
  }
  for (std::size_t i = 0; i + 1 < lengths.size(); ++i) {
    for (int r = 0; r < counts.ladder_rounds; ++r) {
      rounds.push_back(pair_round(random, Purpose::ladder, lengths[i], Ordering::coin));
    }
  }
  for (int r = 0; r < counts.single_rounds; ++r) {
    rounds.push_back(pair_round(random, Purpose::single, 1, Ordering::coin));
  }
  shuffle(random, rounds);
  return rounds;
}

CountPlan choose_counts(const Budget& budget, const std::vector<std::int64_t>& lengths) {
  require_lengths(lengths);
  const double least = seconds_of(budget, counts_for(kFewestPairs), lengths);
  if (least > budget.seconds) return OverBudget{least};
  int pairs = kFewestPairs;
  while (pairs < kMostPairs && seconds_of(budget, counts_for(pairs + 1), lengths) <= budget.seconds) ++pairs;
  const Counts counts = counts_for(pairs);
  return FixedCounts{budget.processes, counts, seconds_of(budget, counts, lengths)};
}

}  // namespace assay::timing
