#pragma once
#include <string>

#include "timing/interval.h"

/// How numbers of this layer are spelled in messages.
namespace assay::timing {

std::string percent_text(double share);          ///< "2 %"
std::string ratio_text(double ratio);            ///< "1.05x"
std::string microseconds_text(double seconds);   ///< "12.3 us"
std::string range_text(const Interval& ratios);  ///< "[0.99x, 1.01x]"
std::string too_few_text(const TooFew& few);     ///< "5 process pairs where this level needs 6"

}  // namespace assay::timing
