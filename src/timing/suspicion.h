#pragma once
#include <span>
#include <string>
#include <variant>

#include "core/report.h"
#include "timing/interval.h"

namespace assay::timing {

/// Nothing out of the ordinary was measured.
struct Consistent {};
/// A measurement that an honest subject does not give: the id of THREATS.md, one sentence, and the numbers.
struct Suspicion {
  std::string threat;
  std::string message;
  Evidence evidence;
};
/// The check could not be made.
struct Unmeasured {
  std::string reason;
};
using Consistency = std::variant<Consistent, Suspicion, Unmeasured>;

struct Below {};
struct Above {
  Interval interval;
};
using Excess = std::variant<Below, Above, TooFew>;

/// Fewest process pairs that an accusation may rest on.
inline constexpr int kAccusers = 6;

/// Does the centre of `values` (one per process pair) lie above `margin`, at a level fit for an accusation? Above iff
/// all values do, and either Student's t interval at 1 - level does (ranks alone can't reach 10^-4 with few processes),
/// or all exceed margin x level^(-1/n), so that a subject can't hide behind noise that it makes itself: if the excess
/// of an honest one is at most `margin` on average, each value is that large with probability at most level^(1/n)
/// (Markov).
Excess exceeds(std::span<const double> values, double margin, double level);

}  // namespace assay::timing
