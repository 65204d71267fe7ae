#include "core/call.h"

#include <array>

namespace assay {

std::string_view name_of(Poison poison) {
  constexpr std::array<std::string_view, 3> kNames{"quiet NaN", "small finite values", "answers of other calls"};
  return kNames[static_cast<std::size_t>(poison)];
}

}  // namespace assay
