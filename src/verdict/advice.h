#pragma once
#include <string_view>

namespace assay {

/// What a kernel author can do about a finding of this witness, made by calls of this check. Never empty.
std::string_view advice_for(std::string_view witness, std::string_view check);

}  // namespace assay
