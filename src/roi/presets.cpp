#include "roi/presets.h"

#include <algorithm>
#include <array>

#include "core/nearest.h"
#include "roi/valid.h"

namespace assay::roi {
namespace {

constexpr double kFivePercentLess = 1.0 / 0.95;

constexpr std::array<Preset, 9> kPresets{{
    {.name = "autokernel-keep", .rule = "keep at 1 % more throughput", .min_speedup = 1.01, .their_limit = 1.01},
    {.name = "apex-integrate",
     .rule = "integrate above 1.05x",
     .min_speedup = 1.05,
     .their_limit = 1.05,
     .their_compare = Compare::above},
    {.name = "cuda-agent",
     .rule = "at most 0.95x the time of torch.compile",
     .min_speedup = 1.0527,
     .their_limit = kFivePercentLess,
     .needs_baseline = true,
     .needs = "the compiled kernel as [speed] baseline"},
    {.name = "roofline-stop",
     .rule = "stop at 95 % of the roofline, refuse a slot at 85 %",
     .refuse_roofline = 0.85,
     .stop_roofline = 0.95,
     .needs = "a floor: [cost], or a trace with shares of peak"},
    {.name = "five-stages", .rule = "smoke, shapes, stability, determinism and edges pass", .depth = Depth::quick},
    {.name = "five-inputs", .rule = "five fresh inputs pass", .value_plans = 5},
    {.name = "suspicious",
     .rule = "look again above 10x or 100x, or below 1 % of a baseline above 0.1 ms",
     .advice_only = true},
    {.name = "divergence", .rule = "revert if more than 50 % slower", .advice_only = true},
    {.name = "campaign",
     .rule = "a paid search: values changed, pointers reused, edge shapes, repeats; end-to-end return",
     .depth = Depth::deep,
     .needs = "the campaign's cost and prices of today: search_hours, search_usd_per_hour, plan_usd"},
}};

}  // namespace

std::span<const Preset> presets() {
  return kPresets;
}

const Preset& find_preset(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Preset& preset : kPresets) {
    if (preset.name == name) return preset;
    names.push_back(preset.name);
  }
  std::string all;
  for (std::string_view each : names) all += (all.empty() ? "" : ", ") + std::string(each);
  fail("unknown preset '" + std::string(name) + "'" + did_you_mean(name, names) + " (known: " + all + ")");
}

Acceptance our_acceptance(const Preset& preset, double low, double high) {
  check_speedup("lower end of the speed-up", low);
  check_speedup("upper end of the speed-up", high);
  if (low > high) fail("the interval of the speed-up ends before it begins");
  if (!preset.min_speedup || low > *preset.min_speedup) return Acceptance::accepted;
  return high <= *preset.min_speedup ? Acceptance::refused : Acceptance::undecided;
}

std::optional<bool> their_acceptance(const Preset& preset, double mean) {
  check_speedup("speed-up", mean);
  if (!preset.their_limit) return std::nullopt;
  return preset.their_compare == Compare::above ? mean > *preset.their_limit : mean >= *preset.their_limit;
}

void tighten(Contract& contract, const Preset& preset) {
  if (preset.needs_baseline && !contract.speed.baseline) {
    fail("preset '" + std::string(preset.name) + "' needs " + std::string(preset.needs) + ": " + contract.path +
         " measures against the reference");
  }
  if (!preset.min_speedup) return;
  contract.speed.min_speedup = std::max(contract.speed.min_speedup.value_or(0.0), *preset.min_speedup);
}

std::vector<std::string> suspicions(double baseline_s, double candidate_s) {
  constexpr double kLongEnough_s = 1e-4;
  const double speedup = [&] {
    check_positive("time of the baseline", baseline_s);
    check_positive("time of the candidate", candidate_s);
    return baseline_s / candidate_s;
  }();
  std::vector<std::string> found;
  const std::string text = fixed_text(speedup, 4) + "x";
  if (speedup > 100.0) {
    found.push_back(text + " is above 100x: rarely the same kernel, spend more budget on it");
  } else if (speedup > 10.0) {
    found.push_back(text + " is above 10x: spend more budget on it");
  }
  if (baseline_s > kLongEnough_s && candidate_s < 0.01 * baseline_s) {
    found.push_back("less than 1 % of a baseline above 0.1 ms: does it still do the work?");
  }
  if (candidate_s > 1.5 * baseline_s) found.push_back(text + ": more than 50 % slower, revert");
  return found;
}

}  // namespace assay::roi
