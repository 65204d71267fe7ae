#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/contract.h"
#include "timing/control.h"
#include "timing/schedule.h"

/// What was timed, before anything is concluded from it. Seconds throughout.
namespace assay {

/// One burst (or single call) by the judge's clock.
struct TurnTime {
  timing::Purpose purpose = timing::Purpose::pair;
  Regime regime = Regime::cold;
  timing::Who who = timing::Who::baseline;
  int pair = 0;  ///< of its shape and process pair: the two sides with the same number ran next to each other
  std::int64_t calls = 1;
  double wall_s = 0.0;
  double replied_s = 0.0;  ///< by the judge's clock too, without the time that it took to stop the worker's threads
  double told_s = 0.0;     ///< the worker's word
  double cpu_s = 0.0;      ///< processor time of the worker meanwhile; 0: the kernel doesn't say
  double waited_s = 0.0;   ///< the worker was ready and somebody else had the processor
};

/// Both sides: the baseline first.
inline constexpr std::size_t kSides = 2;

struct ShapeTimes {
  std::vector<TurnTime> turns;
  std::array<double, kSides> first_call_s{};  ///< of this shape in its process
};

/// One pair of fresh processes.
struct ProcessPair {
  std::array<double, kSides> load_s{};
  std::vector<ShapeTimes> shapes;   ///< as many as are timed
  timing::ControlBlock alone;       ///< at the anchor shape
  int rounds = 0;                   ///< that were made
  std::array<int, kSides> again{};  ///< rounds that were made again because this side had waited for a processor
};

}  // namespace assay
