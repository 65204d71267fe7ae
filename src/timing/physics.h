#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/oracle.h"
#include "core/report.h"

namespace assay::timing {

enum class PeakSource : std::uint8_t { published, measured };

/// What a device can do at most, at one precision. 0: not known, so no floor from it, never a guess.
struct Roof {
  double bytes_per_s = 0.0;  ///< memory, the most of copying, reading and filling
  double flops_per_s = 0.0;  ///< dense arithmetic at the contract's precision
  PeakSource source = PeakSource::measured;
};

/// When the bytes of `Cost` really have to move through memory.
struct BytesCount {
  bool inputs_matter = false;  ///< P6 has shown that every input is read
  bool from_memory = false;    ///< regime cold, or the set exceeds the last-level cache
};

enum class RoofClass : std::uint8_t { memory_bound, compute_bound, call_bound, underutilised };
std::string_view name_of(RoofClass kind);

/// Below this share of its roofline a kernel is limited by neither roof (the usual reading of profilers' "60 %" bars).
inline constexpr double kUtilised = 0.6;

/// Where one shape stands under the roofline (Williams, Waterman and Patterson 2009).
struct Standing {
  RoofClass kind = RoofClass::underutilised;
  double floor_s = 0.0;       ///< max(bytes / bandwidth, flops / peak)
  double share = 0.0;         ///< floor / time
  double headroom = 1.0;      ///< time / floor: the speed-up that remains at most
  double bytes_per_s = 0.0;   ///< achieved
  double flops_per_s = 0.0;   ///< achieved
  bool memory_limits = true;  ///< the roof that makes the floor; which of the two rates suits the operator
};
struct NoFloor {
  std::string reason;
};
using Physics = std::variant<Standing, NoFloor>;

/// Standing of a call of `time_s`; `empty_s` is an empty call in the same schedule (0: not measured).
Physics stand(const Cost& cost, const Roof& roof, const BytesCount& counts, double time_s, double empty_s);

struct Possible {};
/// Faster than physics allows (E19): an error against published peaks x 1.0, a note against measured peaks x 0.9.
struct Impossible {
  Severity severity = Severity::note;
  std::string message;
  Evidence evidence;
};
using Plausibility = std::variant<Possible, Impossible>;

/// Compares the whole interval's upper end of the time with slack x floor, so that noise can't convict.
Plausibility check_floor(const Standing& standing, PeakSource source, double time_high_s);

}  // namespace assay::timing
