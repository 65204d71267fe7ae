#include "judge/speed/conclude.h"

#include <algorithm>
#include <cmath>

#include "judge/speed/accuse.h"
#include "judge/speed/turns.h"
#include "timing/control.h"
#include "timing/distribution.h"
#include "timing/family.h"
#include "timing/mix.h"
#include "timing/multiplicity.h"

/// Theory of operation. A side's cost per call is the wall time of its longest burst less the null subject's; ratios
/// are taken pair by pair, their medians by process pair, and everything said about speed rests on those medians. The
/// accusations beside it are made in judge/speed/accuse.cpp.
namespace assay {
namespace {

constexpr double kBimodalShare = 0.25;  ///< by which the slower mode must lie above the faster one to be worth a note

std::string word(Regime regime) {
  return regime == Regime::cold ? "cold" : "hot";
}

SpeedInterval to_report(const timing::Interval& x) {
  return {x.estimate, x.low, x.high, x.confidence};
}

std::string reason_of(const timing::Effect& effect) {
  const auto* open = std::get_if<timing::Inconclusive>(&effect);
  return open ? open->reason : "";
}

double p99_of(const std::vector<timing::ProcessTimes>& processes, std::vector<double> timing::ProcessTimes::*side) {
  std::vector<double> all;
  for (const timing::ProcessTimes& process : processes)
    all.insert(all.end(), (process.*side).begin(), (process.*side).end());
  return timing::quantile(all, 0.99);
}

RegimeSpeed to_report(const timing::Comparison& comparison, Regime regime,
                      const std::vector<timing::ProcessTimes>& processes) {
  RegimeSpeed speed;
  speed.regime = word(regime);
  speed.baseline_s = comparison.baseline_s;
  speed.candidate_s = comparison.candidate_s;
  speed.baseline_p99_s = p99_of(processes, &timing::ProcessTimes::baseline_s);
  speed.candidate_p99_s = p99_of(processes, &timing::ProcessTimes::candidate_s);
  if (const auto* x = std::get_if<timing::Interval>(&comparison.speedup)) speed.speedup = to_report(*x);
  speed.effect = name_of(comparison.effect);
  speed.reason = reason_of(comparison.effect);
  speed.detectable = comparison.detectable;
  speed.process_variance = comparison.variance.process;
  speed.pair_variance = comparison.variance.pair;
  speed.process_pairs = static_cast<int>(processes.size());
  speed.pairs = comparison.pairs;
  return speed;
}

RegimeSpeed untold(Regime regime, const std::string& reason) {
  RegimeSpeed speed;
  speed.regime = word(regime);
  speed.effect = "inconclusive";
  speed.reason = reason;
  return speed;
}

class Conclusion {
 public:
  Conclusion(const Contract& contract, const std::vector<ShapeSchedule>& schedules, std::size_t anchor,
             const std::vector<ProcessPair>& pairs, const std::vector<ProcessPair>& control,
             const std::vector<Cost>& costs, const SpeedRules& rules, Random& random)
      : contract_(contract),
        schedules_(schedules),
        anchor_(anchor),
        pairs_(pairs),
        control_(control),
        costs_(costs),
        rules_(rules),
        random_(random),
        regime_(contract.speed.regime) {}

  Concluded run() {
    judge_fitness();
    for (std::size_t s = 0; s < schedules_.size(); ++s) add_shape(s);
    decide_effects();
    add_mix();
    out_.suspicions = accuse({contract_, schedules_, anchor_, pairs_, control_, rules_, out_.section, floor_});
    out_.gate = gate();
    return std::move(out_);
  }

 private:
  Regime other() const { return regime_ == Regime::cold ? Regime::hot : Regime::cold; }

  void judge_fitness() {
    const timing::Estimate aa = control_interval(control_, anchor_, regime_, timing::kAlpha);
    out_.section.delta = rules_.delta;
    out_.section.empty_call_s = rules_.empty_s;
    if (const auto* x = std::get_if<timing::Interval>(&aa)) {
      out_.section.control = to_report(*x);
      floor_ = timing::noise_floor(*x);
    }
    out_.section.fit = std::holds_alternative<timing::Fit>(timing::judge_control(aa, rules_.delta, 2));
    out_.section.baseline_load_s = median_load(0);
    out_.section.candidate_load_s = median_load(1);
  }

  double median_load(std::size_t side) const {
    std::vector<double> loads;
    for (const ProcessPair& pair : pairs_) loads.push_back(pair.load_s[side]);
    return timing::median(loads);
  }

  void add_shape(std::size_t s) {
    const ShapeSchedule& schedule = schedules_[s];
    SpeedRow row;
    row.shape = to_string(schedule.timed.shape->axes);
    row.weight = weight_of(s);
    if (!schedule.untimed.empty()) {
      row.notes.push_back("not timed: " + schedule.untimed);
      log_medians_.emplace_back();
      out_.section.shapes.push_back(std::move(row));
      return;
    }
    row.method = schedule.method;
    row.regimes.push_back(compare_in(s, regime_));
    log_medians_.push_back(row.regimes.front().speedup ? timing::process_medians(times_of(pairs_, s, regime_))
                                                       : std::vector<double>{});
    if (schedule.other_pairs > 0) row.regimes.push_back(compare_in(s, other()));
    if (!schedule.other_note.empty()) row.notes.push_back(word(other()) + ": " + schedule.other_note);
    add_first_calls(s, row);
    add_diagnostics(s, row);
    out_.section.shapes.push_back(std::move(row));
  }

  double weight_of(std::size_t s) const {
    for (const ProductionShape& production : contract_.shapes) {
      if (production.axes == schedules_[s].timed.shape->axes) return production.weight;
    }
    return 1.0;
  }

  /// Intervals of all shapes hold together.
  RegimeSpeed compare_in(std::size_t s, Regime regime) {
    const std::vector<timing::ProcessTimes> processes = times_of(pairs_, s, regime);
    if (processes.size() < pairs_.size() || is_nothing(processes)) {
      return untold(regime, "a call takes no longer than one of a subject that does nothing");
    }
    const timing::Rules rules{timing::simultaneous_level(rules_.alpha, timed_shapes()), rules_.delta};
    return to_report(timing::compare(processes, rules, random_), regime, processes);
  }

  /// Most bursts of one side took no longer than those of the null subject.
  static bool is_nothing(const std::vector<timing::ProcessTimes>& processes) {
    std::vector<double> baseline, candidate;
    for (const timing::ProcessTimes& process : processes) {
      baseline.push_back(timing::median(process.baseline_s));
      candidate.push_back(timing::median(process.candidate_s));
    }
    return timing::median(baseline) <= kLeastCost || timing::median(candidate) <= kLeastCost;
  }

  int timed_shapes() const {
    return static_cast<int>(std::count_if(schedules_.begin(), schedules_.end(),
                                          [](const ShapeSchedule& schedule) { return schedule.untimed.empty(); }));
  }

  void add_first_calls(std::size_t s, SpeedRow& row) const {
    std::vector<double> baseline, candidate;
    for (const ProcessPair& pair : pairs_) {
      baseline.push_back(pair.shapes[s].first_call_s[0]);
      candidate.push_back(pair.shapes[s].first_call_s[1]);
    }
    row.baseline_first_call_s = timing::median(baseline);
    row.candidate_first_call_s = timing::median(candidate);
  }

  void add_diagnostics(std::size_t s, SpeedRow& row) const {
    std::vector<double> singles, told, use;
    for (const ProcessPair& pair : pairs_) {
      if (const auto x = single_and_burst(pair.shapes[s], regime_)) singles.push_back(x->single_s);
      if (const auto x = event_and_wall(pair.shapes[s], regime_)) told.push_back(x->event_s);
      const ProcessorUse used = processor_use(pair.shapes[s]);
      if (used.wall_s > 0.0) use.push_back(used.cpu_s / used.wall_s);
    }
    if (!singles.empty()) row.candidate_single_s = timing::median(singles);
    if (!told.empty()) row.candidate_told_s = timing::median(told);
    if (!use.empty()) row.processors = timing::median(use);
    const double call_s = row.regimes.front().candidate_s;
    row.call_bound = call_s <= 0.0 || std::holds_alternative<timing::CallBound>(
                                          timing::call_boundness(call_s + rules_.empty_s, rules_.empty_s));
    if (call_s > 0.0) add_standing(s, row, call_s);
    note_modes(s, row);
  }

  void add_standing(std::size_t s, SpeedRow& row, double call_s) const {
    const bool large = rules_.cache_bytes > 0 && schedules_[s].timed.shape->total_bytes() > rules_.cache_bytes;
    const timing::BytesCount counts{inputs_matter(), regime_ == Regime::cold || large};
    const timing::Physics physics =
        timing::stand(costs_[s], rules_.roof, counts, call_s, row.call_bound ? call_s : 0.0);
    if (const auto* none = std::get_if<timing::NoFloor>(&physics)) {
      row.notes.push_back("no floor: " + none->reason);
      return;
    }
    const auto& at = std::get<timing::Standing>(physics);
    row.standing = SpeedStanding{std::string(name_of(at.kind)),
                                 at.floor_s,
                                 at.share,
                                 at.headroom,
                                 at.bytes_per_s,
                                 at.flops_per_s,
                                 at.memory_limits};
  }

  /// Index tensors and masks choose which bytes count: without them every input is read.
  bool inputs_matter() const {
    return std::all_of(contract_.tensors.begin(), contract_.tensors.end(),
                       [](const Tensor& tensor) { return !holds_input(tensor.role) || is_floating(tensor.dtype); });
  }

  void note_modes(std::size_t s, SpeedRow& row) const {
    std::vector<double> all;
    for (const timing::ProcessTimes& process : times_of(pairs_, s, regime_)) {
      // Processes differ; what counts is inside them.
      const double centre = timing::median(process.candidate_s);
      for (const double x : process.candidate_s) all.push_back(x / centre);
    }
    if (all.empty()) return;
    const timing::Modes modes = timing::modes_of(all);
    const auto* two = std::get_if<timing::TwoModes>(&modes);
    if (two && two->upper_s > (1.0 + kBimodalShare) * two->lower_s) {
      row.notes.push_back("its times fall into two groups (E20): " +
                          std::to_string(static_cast<int>(std::lround(100.0 * two->upper_share))) +
                          " % of the bursts take " + std::to_string(two->upper_s / two->lower_s).substr(0, 4) +
                          " times the others");
    }
  }

  void decide_effects() {
    const std::vector<timing::FamilyEffect> effects = timing::decide_family(log_medians_, rules_.delta, rules_.alpha);
    for (std::size_t s = 0; s < effects.size(); ++s) {
      SpeedRow& row = out_.section.shapes[s];
      if (row.regimes.empty() || !row.regimes.front().speedup) continue;
      row.regimes.front().effect = name_of(effects[s].effect);
      row.regimes.front().reason = reason_of(effects[s].effect);
      row.regimes.front().p = effects[s].p;
    }
  }

  void add_mix() {
    std::vector<timing::MixShape> shapes;
    for (std::size_t s = 0; s < schedules_.size(); ++s) {
      if (log_medians_[s].empty()) continue;
      shapes.push_back({weight_of(s), times_of(pairs_, s, regime_)});
    }
    if (shapes.empty()) return;
    const timing::Mix mix = timing::compare_mix(shapes, {rules_.alpha, rules_.delta});
    RegimeSpeed speed;
    speed.regime = word(regime_);
    speed.baseline_s = mix.baseline_s;
    speed.candidate_s = mix.candidate_s;
    if (const auto* x = std::get_if<timing::Interval>(&mix.speedup)) speed.speedup = to_report(*x);
    speed.effect = name_of(mix.effect);
    speed.reason = reason_of(mix.effect);
    speed.detectable = mix.detectable;
    speed.process_pairs = static_cast<int>(pairs_.size());
    mix_ = mix.speedup;
    out_.section.mix = speed;
  }

  /// The mix against min_speedup, and each shape against min_speedup_each.
  timing::Gate gate() const {
    const Speed& asked = contract_.speed;
    if (!asked.min_speedup && !asked.min_speedup_each) return timing::NoGate{};
    std::vector<timing::Gate> gates;
    if (asked.min_speedup) {
      gates.push_back(mix_ && complete() ? timing::gate(*mix_, asked.min_speedup, "the production mix")
                                         : timing::Gate{timing::GateOpen{"not every production shape could be timed"}});
    }
    for (const SpeedRow& row : out_.section.shapes) {
      if (!asked.min_speedup_each) break;
      const bool told = !row.regimes.empty() && row.regimes.front().speedup;
      gates.push_back(told ? timing::gate(interval_of(*row.regimes.front().speedup), asked.min_speedup_each, row.shape)
                           : timing::Gate{timing::GateOpen{row.shape + " could not be timed"}});
    }
    return timing::all_of(gates);
  }

  bool complete() const {
    return std::none_of(log_medians_.begin(), log_medians_.end(), [](const auto& medians) { return medians.empty(); });
  }

  static timing::Estimate interval_of(const SpeedInterval& x) {
    timing::Interval interval;
    interval.estimate = x.estimate;
    interval.low = x.low;
    interval.high = x.high;
    interval.confidence = x.confidence;
    return interval;
  }

  const Contract& contract_;
  const std::vector<ShapeSchedule>& schedules_;
  std::size_t anchor_;
  const std::vector<ProcessPair>& pairs_;
  const std::vector<ProcessPair>& control_;
  const std::vector<Cost>& costs_;
  const SpeedRules& rules_;
  Random& random_;
  Regime regime_;
  Concluded out_;
  double floor_ = 0.0;
  std::vector<std::vector<double>> log_medians_;
  std::optional<timing::Estimate> mix_;
};

}  // namespace

timing::Estimate control_interval(const std::vector<ProcessPair>& control, std::size_t anchor, Regime regime,
                                  double alpha) {
  return timing::exp_of(timing::process_interval(times_of(control, anchor, regime), alpha));
}

Concluded conclude(const Contract& contract, const std::vector<ShapeSchedule>& schedules, std::size_t anchor,
                   const std::vector<ProcessPair>& pairs, const std::vector<ProcessPair>& control,
                   const std::vector<Cost>& costs, const SpeedRules& rules, Random& random) {
  return Conclusion(contract, schedules, anchor, pairs, control, costs, rules, random).run();
}

}  // namespace assay
