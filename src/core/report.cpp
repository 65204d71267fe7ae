#include "core/report.h"

#include <array>

namespace assay {

std::string_view name_of(Severity severity) {
  constexpr std::array<std::string_view, 2> kNames{"error", "note"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::string_view name_of(Verdict verdict) {
  constexpr std::array<std::string_view, 4> kNames{"pass", "fail", "inconclusive", "error"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string_view name_of(CheckOutcome outcome) {
  constexpr std::array<std::string_view, 5> kNames{"pass", "finding", "inconclusive", "unsupported", "error"};
  return kNames[static_cast<std::size_t>(outcome)];
}

Counts& Counts::operator+=(const Counts& other) {
  calls += other.calls;
  elements += other.elements;
  bytes += other.bytes;
  return *this;
}

}  // namespace assay
