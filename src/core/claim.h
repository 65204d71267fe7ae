#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract.h"

/// A statement about speed as plain data (CONTRACT.md, "The claim file"): `contract/` reads it, `roi/` judges it.
namespace assay {

/// What a speed-up is over. The first two are no measure of a kernel's worth.
enum class DenominatorClass : std::uint8_t { naive, own_start, compiler, expert, production };
enum class ClaimMetric : std::uint8_t { time, throughput };
enum class Aggregate : std::uint8_t { single, geomean, mean, max, per_shape };
enum class ResultsFormat : std::uint8_t { akox, autokernel, apex, magpie, kernelbench, flashinfer };

template <class Enum>
struct ClaimWord {
  std::string_view name;
  Enum value;
};

inline constexpr std::array<ClaimWord<DenominatorClass>, 5> kDenominatorClasses{
    {{"naive", DenominatorClass::naive},
     {"own-start", DenominatorClass::own_start},
     {"compiler", DenominatorClass::compiler},
     {"expert", DenominatorClass::expert},
     {"production", DenominatorClass::production}}};
inline constexpr std::array<ClaimWord<ClaimMetric>, 2> kClaimMetrics{
    {{"time", ClaimMetric::time}, {"throughput", ClaimMetric::throughput}}};
inline constexpr std::array<ClaimWord<Aggregate>, 5> kAggregates{{{"single", Aggregate::single},
                                                                  {"geomean", Aggregate::geomean},
                                                                  {"mean", Aggregate::mean},
                                                                  {"max", Aggregate::max},
                                                                  {"per-shape", Aggregate::per_shape}}};
inline constexpr std::array<ClaimWord<ResultsFormat>, 6> kResultsFormats{{{"akox", ResultsFormat::akox},
                                                                          {"autokernel", ResultsFormat::autokernel},
                                                                          {"apex", ResultsFormat::apex},
                                                                          {"magpie", ResultsFormat::magpie},
                                                                          {"kernelbench", ResultsFormat::kernelbench},
                                                                          {"flashinfer", ResultsFormat::flashinfer}}};

template <class Enum, std::size_t N>
constexpr std::string_view name_in(const std::array<ClaimWord<Enum>, N>& words, Enum value) {
  for (const ClaimWord<Enum>& word : words) {
    if (word.value == value) return word.name;
  }
  return "";
}

/// A table of results beside the claim; the path is relative to the claim's folder.
struct ResultsSpec {
  std::string path;
  ResultsFormat format = ResultsFormat::kernelbench;
};

/// Empty texts are not stated.
struct Claim {
  std::string path;    ///< the file it came from
  std::string folder;  ///< what its relative paths are relative to
  std::string text, source;
  std::string system, level, pass_definition, correctness_inputs, workloads_passed;
  std::optional<DenominatorClass> denominator_class;
  std::optional<double> speedup;
  std::string baseline, candidate, hardware, shapes, tolerance;
  std::optional<ClaimMetric> metric;
  std::optional<Aggregate> aggregate;
  std::string evidence_contract;  ///< empty: none
  std::optional<ResultsSpec> evidence_results;
  std::optional<RoiSpec> roi;
};

/// What was found about a claim, for reports; roi/ fills it.
struct ClaimReport {
  std::string claim, source;
  std::string verdict;   ///< "reproduced", "overstated", …
  std::string sentence;  ///< with the reason or the figures
  std::optional<double> claimed_speedup, found_speedup, overstated_by, fair_speedup;
  struct Table {
    std::string path, format;
    double geomean = 1.0, low = 1.0, high = 1.0, losing_share = 0.0;
    std::int64_t workloads = 0, losing = 0, failed = 0;
  };
  std::optional<Table> table;
  std::vector<std::string> unstated, notes;
  int exit = 0;
};

}  // namespace assay
