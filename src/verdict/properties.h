#pragma once
#include "core/oracle.h"
#include "verdict/tolerance.h"

namespace assay {

/// The largest residual that a property of `output` may leave, relative to its size: γ or γ̃ of the roundings that it
/// declares, in the promised precision; 0 where it must hold exactly.
double property_limit(const Contract& contract, const Tensor& output, const Property& property,
                      ErrorSigns signs = ErrorSigns::mixed);

/// Whether a property holds. What was measured and the limit are in units of u, or elements where it must hold exactly.
Judgement judge_property(const Contract& contract, const Tensor& output, const Property& property,
                         ErrorSigns signs = ErrorSigns::mixed);

}  // namespace assay
