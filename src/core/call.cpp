#include "core/call.h"

#include <algorithm>
#include <array>

namespace assay {

std::string_view name_of(Poison poison) {
  constexpr std::array<std::string_view, 3> kNames{"quiet NaN", "small finite values", "answers of other calls"};
  return kNames[static_cast<std::size_t>(poison)];
}

CallPlan plain(CallPlan call) {
  for (TensorPlan& tensor : call.values) tensor.edits.clear();
  std::fill(call.places.begin(), call.places.end(), kHome);
  call.shifts.clear();
  call.typical = true;
  call.exact = call.traced = false;
  return call;
}

bool is_plain(const CallPlan& call) {
  return call.shifts.empty() && !call.exact && !call.traced &&
         std::all_of(call.places.begin(), call.places.end(), [](Place p) { return p == kHome; }) &&
         std::all_of(call.values.begin(), call.values.end(), [](const TensorPlan& t) { return t.edits.empty(); });
}

}  // namespace assay
