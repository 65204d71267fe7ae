#include "core/axes.h"

namespace assay {

std::string to_string(const AxisValues& axes) {
  std::string text;
  for (const auto& [name, value] : axes) {
    if (!text.empty()) text += ' ';
    text += name + '=' + std::to_string(value);
  }
  return text;
}

}  // namespace assay
