#include "core/check.h"

/// Theory: what is right when it is looked at may be wrong, or done elsewhere, when it is timed. The calls of this
/// check are the bursts that speed is measured with: they are drawn beside a baseline and a null subject (judge/speed),
/// not from the queue of scripts, and each of them is checked like any other.
namespace assay {
namespace {

void plan(CheckContext&) {}

const bool kRegistered = Registry<Check>::add(
    {"time", "E", "Timed calls are as right as any other, and take the time that they claim by the judge's clock.",
     "E1 E6 E7 E14 E19 E23 A8 F9 C2", plan});

}  // namespace
}  // namespace assay
