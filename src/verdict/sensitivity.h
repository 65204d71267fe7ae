#pragma once
#include <span>

#include "core/oracle.h"
#include "core/tensor.h"

namespace assay {

/// How many nudged runs of the reference measure its sensitivity (NUMERICS.md, "Bounds").
inline constexpr int kNudgedRuns = 8;

/// The reference's output as truth. `nudged` are its outputs on the same inputs with every float moved by one unit in
/// the last place, up or down at random (NudgeEdit, a new key each). Over the n terms tᵢ of an output such moves add up
/// at random to 1.5 u_in √(Σ tᵢ²) or more, and the largest of eight is about 1.7 of these; half of that is taken.
/// An output that no input moves is not more exact than its row: where a sum cancels whatever the inputs are (the
/// imaginary part of a real transform at its ends), a reference that sums in more than its own type hides the
/// roundoff that others have. Scales below 2^-12 of their row's root mean square become 2^-4 of it.
/// Roundoff is measured against Σ |tᵢ| <= √n √(Σ tᵢ²), so scale = |y| + √n max|Δy| / (2 u_in).
RealTruth truth_from_reference(const ConstTensorView& reference, std::span<const ConstTensorView> nudged, double n,
                               double u_in);

/// An estimate of n from the contract alone: over the float inputs, the product of the axes that the output lacks, or
/// the last axis where that is longer (norms and softmax reduce over an axis that they keep).
double longest_reduction(const Contract& contract, const ConcreteShape& shape, std::size_t output);

/// The coarsest unit roundoff among float inputs: what one nudge moves by; 2^-53 where there is none.
double input_roundoff(const Contract& contract);

}  // namespace assay
