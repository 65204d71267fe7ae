#include "judge/speed/accuse.h"

#include <algorithm>
#include <cmath>

#include "judge/speed/turns.h"
#include "timing/control.h"
#include "timing/distribution.h"
#include "timing/multiplicity.h"

/// Theory of operation. An honest subject's time follows the number of calls, is the same for a call alone as in a
/// burst (but for what the baseline loses there too), is what its own clock tells, takes no more processors than
/// allowed, leaves the other side alone and stays above the physical floor. The checks of all shapes share one small
/// level, rest on at least six process pairs, and must exceed what the control shows the machine to do by itself.
namespace assay {
namespace {

constexpr double kChecks = 8.0;          ///< that share the level, per shape
constexpr double kBurstMargin = 0.1;     ///< of a single call: what a burst may save beyond the baseline's saving
constexpr double kMostNoise = 0.3;       ///< of a call or burst
constexpr double kMostEventNoise = 0.1;  ///< of a burst, between two clocks that time the same one
constexpr double kColdStart = 0.75;      ///< of an empty call
constexpr double kProcessorSlack = 0.25;
constexpr double kStoppingThreads = 0.3;  ///< of a burst: the judge stops every thread of a pool before its clock stops

class Accusing {
 public:
  explicit Accusing(const Evidenced& evidenced) : e_(evidenced), regime_(evidenced.contract.speed.regime) {}

  std::vector<TimedSuspicion> run() {
    accuse();
    return std::move(found_);
  }

 private:
  int timed() const {
    return static_cast<int>(std::count_if(e_.schedules.begin(), e_.schedules.end(),
                                          [](const ShapeSchedule& schedule) { return schedule.untimed.empty(); }));
  }

  void accuse() {
    const double level = timing::kFalseAlarms / kChecks / std::max(1, timed());
    for (std::size_t s = 0; s < e_.schedules.size(); ++s) {
      if (e_.schedules[s].untimed.empty()) accuse_shape(s, level);
    }
    std::vector<timing::ControlBlock> blocks;
    for (const ProcessPair& pair : e_.pairs) blocks.push_back(with_paired(pair));
    const bool whole = std::all_of(blocks.begin(), blocks.end(), [](const timing::ControlBlock& b) {
      return b.paired_s > 0.0 && b.alone_before_s > 0.0 && b.alone_after_s > 0.0;
    });
    if (whole)
      suspect("", timing::compare_control(blocks, std::max({e_.rules.delta, presence(), 4.0 * e_.floor}), level));
  }

  timing::ControlBlock with_paired(const ProcessPair& pair) const {
    timing::ControlBlock block = pair.alone;
    std::vector<double> walls;
    for (const TurnTime& t : pair.shapes[e_.anchor].turns) {
      const bool longest = t.purpose == timing::Purpose::pair && t.regime == regime_;
      if (longest && t.who == timing::Who::baseline) walls.push_back(t.wall_s);
    }
    block.paired_s = walls.empty() ? 0.0 : timing::median(walls);
    return block;
  }

  /// What an accusation must exceed at least: the noise floor several times over. Both sides of what is compared come
  /// from the same process pair, so that beyond `most` it would excuse more than a busy machine does.
  double noise(double most) const { return std::min(most, (e_.section.fit ? 2.0 : 4.0) * e_.floor); }

  /// What the mere presence of a second worker costs, at most, as the control shows it.
  double presence() const {
    double most = 0.0;
    for (const ProcessPair& pair : e_.control) {
      const timing::ControlBlock b = with_paired(pair);
      if (b.paired_s > 0.0 && b.alone_before_s > 0.0 && b.alone_after_s > 0.0) {
        most = std::max(most, std::abs(b.paired_s / std::sqrt(b.alone_before_s * b.alone_after_s) - 1.0));
      }
    }
    return most;
  }

  /// Pages, instructions and threads that a first call finds cold take a large library longer than a small loop: as
  /// long as most of an empty call, itself a cold start. Where calls are shorter than that, bursts alone tell.
  double cold_start_s() const { return kColdStart * e_.rules.empty_s; }

  void accuse_shape(std::size_t s, double level) {
    const std::string shape = e_.section.shapes[s].shape;
    const auto pairs =
        gather<timing::SingleAndBurst>(e_.pairs, s, [&](const ShapeTimes& t) { return single_and_burst(t, regime_); });
    suspect(shape, timing::check_single_against_burst(pairs, std::max(kBurstMargin, noise(kMostNoise)), level,
                                                      cold_start_s()));
    const auto ladders =
        gather<timing::Ladder>(e_.pairs, s, [&](const ShapeTimes& t) { return ladder_of(t, regime_); });
    timing::SlopeRules slope;
    slope.level = level;
    slope.seconds = cold_start_s();
    slope.margin = std::max(slope.margin, noise(kMostNoise));
    suspect(shape, timing::check_slope(ladders, slope));
    const auto events =
        gather<timing::EventAndWall>(e_.pairs, s, [&](const ShapeTimes& t) { return event_and_wall(t, regime_); });
    timing::EventRules event_rules;
    event_rules.level = level;
    event_rules.seconds =
        std::max(event_rules.seconds, cold_start_s() / static_cast<double>(e_.schedules[s].lengths.back()));
    event_rules.epsilon = std::max(event_rules.epsilon, noise(kMostEventNoise));
    event_rules.share = std::max(event_rules.share, noise(kMostEventNoise));
    if (e_.contract.concurrency.threads > 1) event_rules.share = std::max(event_rules.share, kStoppingThreads);
    suspect(shape, timing::check_events(events, event_rules));
    accuse_floor(s, shape);
    ProcessorUse use;
    for (const ProcessPair& pair : e_.pairs) {
      const ProcessorUse one = processor_use(pair.shapes[s]);
      use.cpu_s += one.cpu_s;
      use.wall_s += one.wall_s;
    }
    suspect(shape, timing::check_processors(use.cpu_s, use.wall_s, e_.contract.concurrency.threads, kProcessorSlack));
  }

  void accuse_floor(std::size_t s, const std::string& shape) {
    const SpeedRow& row = e_.section.shapes[s];
    if (!row.standing || !row.regimes.front().speedup) return;
    timing::Standing at;
    at.floor_s = row.standing->floor_s;
    at.memory_limits = row.standing->memory_limits;
    std::vector<double> slowest;
    for (const timing::ProcessTimes& process : times_of(e_.pairs, s, regime_)) {
      slowest.push_back(timing::median(process.candidate_s));
    }
    const double high = *std::max_element(slowest.begin(), slowest.end());
    const timing::Plausibility plausible = timing::check_floor(at, e_.rules.roof.source, high);
    if (const auto* impossible = std::get_if<timing::Impossible>(&plausible)) {
      found_.push_back({shape, {"E19", impossible->message, impossible->evidence}, impossible->severity});
    }
  }

  void suspect(const std::string& shape, const timing::Consistency& consistency) {
    if (const auto* suspicion = std::get_if<timing::Suspicion>(&consistency)) {
      found_.push_back({shape, *suspicion, Severity::error});
    }
  }

  const Evidenced& e_;
  Regime regime_;
  std::vector<TimedSuspicion> found_;
};

}  // namespace

std::vector<TimedSuspicion> accuse(const Evidenced& evidenced) {
  return Accusing(evidenced).run();
}

}  // namespace assay
