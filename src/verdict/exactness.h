#pragma once
#include <optional>

#include "core/oracle.h"
#include "verdict/tolerance.h"

namespace assay {

/// Leg B of NUMERICS.md. Where inputs are multiples of 2^-granule and the sum of magnitudes of an output's terms stays
/// below 2^(bits - 1) such units, every order of summation in `bits` significant bits is exact, so an output that its
/// type can hold must equal the truth (zeros of either sign alike). One bit is left for algorithms that add operands
/// first. Nothing: no such element differs.
std::optional<Beyond> judge_exactness(const ConstTensorView& actual, const RealTruth& truth, int granule, int bits);

}  // namespace assay
