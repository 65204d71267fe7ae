#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/seed.h"
#include "timing/interval.h"
#include "timing/processes.h"

namespace assay::timing {

inline constexpr double kDelta = 0.02;       ///< half width of "equal" for practical purposes
inline constexpr double kAlpha = 0.05;       ///< level of statements about speed
inline constexpr double kPowerFactor = 2.8;  ///< 1.96 + 0.84: level 0.05, power 0.8

/// kDelta, or (min_speedup - 1) / 2 where that is positive and smaller.
double delta_for(std::optional<double> min_speedup);

struct Faster {};
struct Slower {};
struct Equivalent {};
struct Inconclusive {
  std::string reason;
};
/// What a speed-up is, as far as it can be told.
using Effect = std::variant<Faster, Slower, Equivalent, Inconclusive>;
/// "faster", "slower", "equivalent", "inconclusive".
std::string_view name_of(const Effect& effect);

/// Smallest relative effect seen with power 0.8 at level 0.05: exp(2.8 sd / sqrt(n)) - 1 for log ratios (2.8 = 1.96 +
/// 0.84). Nothing where n < 2.
std::optional<double> minimum_detectable(std::span<const double> log_ratios);

/// The decision on an interval of ratios: faster iff its lower end exceeds 1 + delta, slower iff its upper end is below
/// 1 - delta, equivalent iff it lies inside (1 - delta, 1 + delta). No verdict is finer than the detectable effect.
Effect decide(const Estimate& speedup, double delta, std::optional<double> detectable);

/// Two one-sided tests of "the speed-up lies inside (1 - delta, 1 + delta)", by signed ranks on log ratios.
struct Equivalence {
  double p_above_low = 1.0;
  double p_below_high = 1.0;
  double p() const { return p_above_low > p_below_high ? p_above_low : p_below_high; }
};
Equivalence test_equivalence(std::span<const double> log_ratios, double delta);

struct GatePassed {};
struct GateMissed {
  std::string reason;
};
struct GateOpen {
  std::string reason;
};
struct NoGate {};
/// Of a minimum speed-up: passed (the whole interval above), missed (all of it at or below), open, or none asked for.
using Gate = std::variant<NoGate, GatePassed, GateMissed, GateOpen>;

/// `what` names the subject of the sentence in reasons, such as "the production mix" or "H=4096 T=1".
Gate gate(const Estimate& speedup, std::optional<double> minimum, const std::string& what);

/// All of several gates: missed if any is, else open if any is, else passed; the reasons of the worst kind are joined.
/// A gate over nothing is open: nothing was checked.
Gate all_of(std::span<const Gate> gates);

struct Rules {
  double alpha = kAlpha;
  double delta = kDelta;
};

/// All that is said about one shape: ratios above 1 mean that the candidate is faster.
struct Comparison {
  Estimate speedup;
  Effect effect;
  std::optional<double> detectable;            ///< relative
  double baseline_s = 0.0, candidate_s = 0.0;  ///< medians of all costs per call
  VarianceParts variance;                      ///< of the log speed-up
  std::optional<Equivalence> equivalence;
  int pairs = 0;
};
Comparison compare(std::span<const ProcessTimes> processes, const Rules& rules, Random& random);

}  // namespace assay::timing
