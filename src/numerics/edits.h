#pragma once
#include <span>

#include "core/call.h"
#include "numerics/philox.h"
#include "numerics/rearrange.h"

namespace assay {

/// Carries out `edits` in order on the row-major elements of a tensor, without gaps. ScaleEdit rounds into the element
/// type and saturates; NegateEdit leaves unsigned integers alone; NudgeEdit leaves integers, infinities and NaN alone,
/// turns zero into the smallest subnormal of either sign and never leaves the finite numbers. The signs of NudgeEdit
/// follow from `tensor_key` too, so that tensors move independently; a ReshuffleEdit is the same permutation for all
/// tensors of one size.
void apply_edits(const EditedTensor& tensor, const StreamKey& tensor_key, std::span<const ValueEdit> edits);

}  // namespace assay
