#pragma once
#include <span>

#include "core/call.h"
#include "numerics/philox.h"

namespace assay {

/// Carries out `edits` in order on `elements` row-major elements without gaps. ScaleEdit rounds into the element type
/// and saturates; NegateEdit leaves unsigned integers alone; NudgeEdit leaves integers, infinities and NaN alone, turns
/// zero into the smallest subnormal of either sign and never leaves the finite numbers. The signs of NudgeEdit follow
/// from `tensor_key` too, so that tensors move independently; a ReshuffleEdit is the same permutation for all tensors
/// of one size.
void apply_edits(DType dtype, std::int64_t elements, std::byte* data, const StreamKey& tensor_key,
                 std::span<const ValueEdit> edits);

}  // namespace assay
