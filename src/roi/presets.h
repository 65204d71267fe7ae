#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract.h"
#include "core/depth.h"

namespace assay::roi {

/// How a producer compares its one mean with its limit.
enum class Compare : std::uint8_t { at_least, above };

/// What a producer's own rule says, and what it sets here (SYSTEMS.md, "Presets of the acceptance rules"). Presets
/// loosen nothing. There is no price in them.
struct Preset {
  std::string_view name;
  std::string_view rule;                             ///< the producer's, in a sentence
  std::optional<double> min_speedup = std::nullopt;  ///< ours: the whole interval must lie above
  std::optional<double> their_limit = std::nullopt;  ///< theirs: of one mean
  Compare their_compare = Compare::at_least;
  bool needs_baseline = false;                           ///< the contract must name what the speed-up is over
  std::optional<double> refuse_roofline = std::nullopt;  ///< no search from here
  std::optional<double> stop_roofline = std::nullopt;    ///< no further round from here
  std::optional<Depth> depth = std::nullopt;             ///< at least
  int value_plans = 0;                                   ///< fresh inputs per shape, at least
  bool advice_only = false;
  std::string_view needs = "";  ///< what else must be given
};

/// One row per preset, in the order of SYSTEMS.md.
std::span<const Preset> presets();

/// Throws assay::Error (exit 2) with the nearest name.
const Preset& find_preset(std::string_view name);

enum class Acceptance : std::uint8_t { accepted, refused, undecided };

/// Ours: accepted if the interval lies above the limit, refused if none of it does, else undecided. Accepted where the
/// preset sets no limit.
Acceptance our_acceptance(const Preset& preset, double low, double high);

/// Theirs, of the one figure that they compare: shown beside our verdict. Nothing where they have no such rule.
std::optional<bool> their_acceptance(const Preset& preset, double mean);

/// Raises `min_speedup` to the preset's where that is higher; never lowers it. Throws if the preset needs a baseline
/// that the contract does not name.
void tighten(Contract& contract, const Preset& preset);

/// What a figure gives reason to look into: a speed-up above 10x or 100x, a time below 1 % of a baseline above 0.1 ms,
/// or more than 50 % slower. Never a verdict.
std::vector<std::string> suspicions(double baseline_s, double candidate_s);

}  // namespace assay::roi
