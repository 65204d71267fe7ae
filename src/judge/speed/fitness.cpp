#include "judge/speed/fitness.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "judge/speed/stand.h"
#include "timing/bursts.h"
#include "timing/compare.h"
#include "timing/control.h"
#include "timing/distribution.h"
#include "timing/environment.h"
#include "timing/schedule.h"
#include "timing/visible.h"

namespace assay {
namespace {

constexpr int kProcesses = 6;
constexpr int kPairs = 24;
constexpr std::size_t kCalls = 24;      ///< of a burst
constexpr double kJudgePerPair = 1e-3;  ///< seconds besides both bursts: values, poison, comparison
constexpr double kProcessStart = 0.03;

Random fresh_random() {
  std::uint64_t state = 0;
  if (getrandom(&state, sizeof state, 0) != static_cast<ssize_t>(sizeof state)) state = 1;
  return Random(state);
}

/// One pair of processes with the same work, in turns by a fair coin.
timing::ProcessTimes time_pair(const AuditSubject& work, BareStand& null, Random& random) {
  BareStand a(work, 0), b(work, 0);
  timing::ProcessTimes times;
  std::vector<double> empty;
  for (int i = 0; i < kPairs; ++i) {
    const bool first = random.chance(0.5);
    const double one = (first ? a : b).run(kCalls).wall_s, other = (first ? b : a).run(kCalls).wall_s;
    empty.push_back(null.run(kCalls).wall_s);
    times.baseline_s.push_back(first ? one : other);
    times.candidate_s.push_back(first ? other : one);
  }
  for (std::vector<double>* side : {&times.baseline_s, &times.candidate_s}) {
    for (double& wall : *side) wall = std::max(1e-9, wall - timing::median(empty)) / kCalls;
  }
  return times;
}

int pairs_within(double seconds, double call_s) {
  const double pair_s = 2.0 * kCalls * call_s + kJudgePerPair;
  const double each = seconds / kProcesses - kProcessStart;
  return std::clamp(static_cast<int>(each / pair_s), 1, timing::kMostPairs);
}

}  // namespace

MachineFitness measure_fitness(const Machine& machine) {
  const timing::EnvironmentReading before = timing::read_environment();
  const AuditSubject work = builtin_subject(protocol::Builtin::work, Entry{}, 1, machine);
  BareStand null(builtin_subject(protocol::Builtin::nothing, Entry{}, 1, machine), 0);
  Random random = fresh_random();
  std::vector<timing::ProcessTimes> control;
  for (int i = 0; i < kProcesses; ++i) control.push_back(time_pair(work, null, random));
  MachineFitness fitness;
  std::vector<double> empty;
  for (int i = 0; i < 100; ++i) empty.push_back(null.run(1).wall_s);
  fitness.empty_call_s = timing::median(empty);
  const timing::Estimate interval = timing::exp_of(timing::process_interval(control, timing::kAlpha));
  if (const auto* x = std::get_if<timing::Interval>(&interval)) {
    fitness.control = *x;
    fitness.noise_floor = timing::noise_floor(*x);
    fitness.fit = std::holds_alternative<timing::Fit>(timing::judge_control(interval, timing::kDelta, 2));
  }
  fitness.pairs = pairs_within(fitness.budget_s, timing::median(control.front().baseline_s));
  fitness.visible = timing::smallest_visible(timing::noise_of(control), kProcesses, fitness.pairs);
  const std::vector<std::int64_t> ours{getpid()};
  fitness.disturbances =
      timing::complaints(timing::change_between(before, timing::read_environment(), ours, sysconf(_SC_CLK_TCK)));
  return fitness;
}

}  // namespace assay
