#include "judge/speed/speed.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "device/cpu/flush.h"
#include "judge/speed/turns.h"
#include "timing/campaign.h"
#include "timing/control.h"
#include "timing/environment.h"
#include "timing/peaks.h"
#include "timing/signed_rank.h"

namespace assay {
namespace {

constexpr double kPeakSeconds = 0.04;     ///< for each of five figures
constexpr std::int64_t kPeakBuffers = 9;  ///< caches that the buffers of a measured peak take
constexpr int kControlPairs = 6;

class Measuring {
 public:
  Measuring(const SpeedRequest& request, const std::optional<CampaignTerms>& campaign)
      : request_(request),
        campaign_(campaign),
        random_(number_of(derive_key(request.secret, 1, "speed"))),
        trial_(request),
        start_(std::chrono::steady_clock::now()) {}

  Measured run() {
    observe_machine();
    trial_.plan();
    const std::optional<std::size_t> anchor = trial_.anchor();
    if (!anchor) return untimed();
    anchor_ = *anchor;
    rules_ = rules();
    time_pairs();
    if (guilty()) return convicted();
    finish_control();
    Concluded concluded = conclude_now();
    if (campaign_) confirm(concluded);
    take(std::move(concluded));
    note_environment();
    out_.section.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return std::move(out_);
  }

 private:
  Measured untimed() {
    Measured none;
    const ShapeSchedule& first = trial_.schedules().front();
    none.section.untimed = to_string(first.timed.shape->axes) + ": " + first.untimed;
    if (trial_.schedules().size() > 1) {
      none.section.untimed += ", and " + std::to_string(trial_.schedules().size() - 1) + " other shapes";
    }
    none.open.push_back("no shape could be timed: " + none.section.untimed);
    return none;
  }

  SpeedRules rules() {
    SpeedRules rules;
    rules.alpha = campaign_ ? campaign_->alpha : timing::kAlpha;
    rules.delta = timing::delta_for(request_.contract.speed.min_speedup);
    rules.cache_bytes = request_.cache_bytes;
    rules.empty_s = trial_.empty_call_s();
    measure_roof(rules);
    return rules;
  }

  /// Nothing where memory doesn't hold buffers beyond the cache, or nobody knows how large that is: then there are no
  /// peaks, never a guess.
  void measure_roof(SpeedRules& rules) {
    if (request_.cache_bytes <= 0) return;
    const timing::PeakRequest wanted{static_cast<int>(request_.contract.concurrency.threads), request_.cache_bytes,
                                     static_cast<std::int64_t>(request_.memory_bytes / 2), kPeakSeconds};
    if (kPeakBuffers * wanted.cache_bytes > wanted.most_bytes) return;
    const timing::Peaks peaks = timing::measure_peaks(wanted);
    rules.roof.bytes_per_s = peaks.bytes_per_s();
    const bool wide = request_.contract.numerics.precision == Precision::f64;
    if (peaks.arithmetic_is_peak) rules.roof.flops_per_s = wide ? peaks.f64_flops_per_s : peaks.f32_flops_per_s;
    peaks_ = SpeedPeaks{peaks.bytes_per_s(), peaks.f32_flops_per_s, peaks.f64_flops_per_s, peaks.instructions};
  }

  /// Control and comparison by turns.
  void time_pairs() {
    const int rounds = std::max(request_.processes, kControlPairs);
    if (request_.progress) request_.progress->started(rounds);
    for (int i = 0; i < rounds && !guilty(); ++i) {
      if (i < kControlPairs) control_.push_back(trial_.run(request_.baseline, true));
      if (i < request_.processes) pairs_.push_back(trial_.run(request_.candidate, false));
      observe_machine();
      if (request_.progress) request_.progress->advanced(i + 1, "timed process pairs");
    }
    if (request_.progress) request_.progress->finished();
  }

  bool guilty() const { return trial_.candidate_end() || !trial_.objections().empty(); }

  /// What is wrong while it is timed has no speed.
  Measured convicted() {
    out_.section.untimed = "a kernel that breaks its contract in timed calls has no speed";
    take_facts();
    return std::move(out_);
  }

  void take_facts() {
    out_.objections = trial_.objections();
    out_.candidate_end = trial_.candidate_end();
    out_.attempts = trial_.attempts();
    out_.counts = trial_.counts();
  }

  void finish_control() {
    const auto interval = [&] {
      pool();
      return control_interval(control_, anchor_, request_.contract.speed.regime, timing::kAlpha);
    };
    if (!std::holds_alternative<timing::Again>(timing::judge_control(interval(), rules_.delta, 1))) return;
    control_.clear();
    for (int i = 0; i < kControlPairs; ++i) control_.push_back(trial_.run(request_.baseline, true));
    const timing::Fitness fitness = timing::judge_control(interval(), rules_.delta, 2);
    if (const auto* unfit = std::get_if<timing::Unfit>(&fitness)) out_.unfit.push_back(unfit->reason);
  }

  void pool() {
    const std::array<std::vector<ProcessPair>*, 2> trials{&pairs_, &control_};
    pool_nulls(trials);
  }

  Concluded conclude_now() {
    pool();
    return conclude(request_.contract, trial_.schedules(), anchor_, pairs_, control_, costs(), rules_, random_);
  }

  std::vector<Cost> costs() {
    std::vector<Cost> costs;
    for (const ShapeSchedule& schedule : trial_.schedules()) {
      const CallPlan plan = schedule.timed.pool->plan(0, schedule.timed.params);
      costs.push_back(request_.truths.cost(*schedule.timed.shape, plan));
    }
    return costs;
  }

  /// A winner is timed again in processes that had no part in choosing it.
  void confirm(Concluded& selected) {
    selected.section.campaign = campaign_->text;
    if (!selected.section.mix || selected.section.mix->effect != "faster") return;
    const std::vector<ProcessPair> selection = std::exchange(pairs_, {});
    for (int i = 0; i < request_.processes && !trial_.candidate_end(); ++i) {
      pairs_.push_back(trial_.run(request_.candidate, false));
    }
    Concluded again = conclude_now();
    const bool faster = again.section.mix && again.section.mix->effect == "faster";
    again.section.campaign = campaign_->text + ", timed again in other processes";
    again.suspicions.insert(again.suspicions.end(), selected.suspicions.begin(), selected.suspicions.end());
    if (!faster && again.section.mix) {
      again.section.mix->effect = "inconclusive";
      again.section.mix->reason = "selected as faster, but not faster when it was timed again in other processes";
    }
    selected = std::move(again);
  }

  void take(Concluded concluded) {
    out_.section = std::move(concluded.section);
    out_.section.peaks = peaks_;
    out_.suspicions = std::move(concluded.suspicions);
    take_facts();
    if (const auto* missed = std::get_if<timing::GateMissed>(&concluded.gate)) out_.missed.push_back(missed->reason);
    if (const auto* open = std::get_if<timing::GateOpen>(&concluded.gate)) out_.open.push_back(open->reason);
    note_repeats();
    if (!can_flush_caches()) {
      out_.section.disturbances.push_back("this processor doesn't let a program flush caches: cold is not really cold");
    }
  }

  /// Rounds that were made again count for each side: a side that has far more of them is worth a look.
  void note_repeats() {
    int rounds = 0, baseline = 0, candidate = 0;
    for (const ProcessPair& pair : pairs_) {
      rounds += pair.rounds;
      baseline += pair.again[0];
      candidate += pair.again[1];
    }
    if (baseline + candidate == 0) return;
    out_.section.disturbances.push_back("of " + std::to_string(rounds) + " rounds, " + std::to_string(baseline) +
                                        " were made again because the baseline had to wait for a processor, and " +
                                        std::to_string(candidate) + " because of the candidate");
  }

  void observe_machine() { moments_.push_back(timing::read_environment()); }

  void note_environment() {
    observe_machine();
    const std::vector<std::int64_t> ours{getpid()};
    const timing::EnvironmentChange change = timing::change_over(moments_, ours, sysconf(_SC_CLK_TCK));
    out_.environment = timing::described(change);
    for (std::string& complaint : timing::complaints(change)) out_.section.disturbances.push_back(std::move(complaint));
  }

  SpeedRequest request_;
  std::optional<CampaignTerms> campaign_;
  Random random_;
  SpeedTrial trial_;
  std::chrono::steady_clock::time_point start_;
  std::size_t anchor_ = 0;
  SpeedRules rules_;
  std::optional<SpeedPeaks> peaks_;
  std::vector<ProcessPair> pairs_, control_;
  std::vector<timing::EnvironmentReading> moments_;  ///< before, after each round of pairs, and at the end
  Measured out_;
};

}  // namespace

int processes_for(std::size_t shapes, double alpha) {
  return std::max(timing::kAccusers,
                  timing::units_needed(alpha / static_cast<double>(std::max<std::size_t>(1, shapes))));
}

Measured measure_speed(const SpeedRequest& request, const std::optional<CampaignTerms>& campaign) {
  return Measuring(request, campaign).run();
}

}  // namespace assay
