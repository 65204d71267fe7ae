#include "timing/physics.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "timing/bursts.h"
#include "timing/text.h"

namespace assay::timing {
namespace {

struct SourceRow {
  std::string_view name;
  double slack;
  Severity severity;
};
/// In the order of PeakSource.
constexpr std::array<SourceRow, 2> kSources{{{"published", 1.0, Severity::error}, {"measured", 0.9, Severity::note}}};
constexpr std::array<std::string_view, 4> kClasses{"memory-bound", "compute-bound", "call-bound", "underutilised"};

double quotient(double work, double rate) {
  return rate > 0.0 ? work / rate : 0.0;
}

std::string no_floor_reason(const Cost& cost, const Roof& roof) {
  if (cost.bytes <= 0.0 && cost.flops <= 0.0)
    return "neither the oracle nor [cost] says how many bytes and operations it takes";
  if (roof.bytes_per_s <= 0.0 && roof.flops_per_s <= 0.0) return "the device's peaks are not known";
  return "its bytes need not come from memory here, and its operations give no floor";
}

RoofClass class_of(const Standing& standing, double time_s, double empty_s) {
  if (std::holds_alternative<CallBound>(call_boundness(time_s, empty_s))) return RoofClass::call_bound;
  if (standing.share < kUtilised) return RoofClass::underutilised;
  return standing.memory_limits ? RoofClass::memory_bound : RoofClass::compute_bound;
}

}  // namespace

std::string_view name_of(RoofClass kind) {
  return kClasses[static_cast<std::size_t>(kind)];
}

Physics stand(const Cost& cost, const Roof& roof, const BytesCount& counts, double time_s, double empty_s) {
  if (!(time_s > 0.0)) throw Error("timing: a call without time has no place under a roofline");
  const bool bytes_count = counts.inputs_matter && counts.from_memory;
  const double memory_s = bytes_count ? quotient(cost.bytes, roof.bytes_per_s) : 0.0;
  const double compute_s = counts.inputs_matter ? quotient(cost.flops, roof.flops_per_s) : 0.0;
  Standing standing;
  standing.floor_s = std::max(memory_s, compute_s);
  if (!(standing.floor_s > 0.0)) return NoFloor{no_floor_reason(cost, roof)};
  standing.share = standing.floor_s / time_s;
  standing.headroom = time_s / standing.floor_s;
  standing.bytes_per_s = cost.bytes / time_s;
  standing.flops_per_s = cost.flops / time_s;
  standing.memory_limits = memory_s >= compute_s;
  standing.kind = class_of(standing, time_s, empty_s);
  return standing;
}

Plausibility check_floor(const Standing& standing, PeakSource source, double time_high_s) {
  const SourceRow& row = kSources[static_cast<std::size_t>(source)];
  const double least_s = row.slack * standing.floor_s;
  if (time_high_s >= least_s) return Possible{};
  return Impossible{row.severity,
                    "takes " + microseconds_text(time_high_s) + " where " + std::string(row.name) +
                        " peaks allow no less than " + microseconds_text(least_s) + ": some of the work is not done",
                    {{"time_high_s", time_high_s},
                     {"floor_s", standing.floor_s},
                     {"slack", row.slack},
                     {"peaks", std::string(row.name)},
                     {"limit", std::string(standing.memory_limits ? "memory" : "arithmetic")}}};
}

}  // namespace assay::timing
