#include "core/report.h"

#include <algorithm>
#include <array>
#include <cmath>

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

std::vector<SweepPoint> sweep_of(const NumericsRow& row) {
  std::vector<SweepPoint> points;
  if (row.octaves.empty() || row.elements == 0) return points;
  std::int64_t outside = 0;
  for (const auto& [k, count] : row.octaves) outside += count;
  const double all = static_cast<double>(row.elements);
  for (int k = row.octaves.begin()->first; outside > 0; ++k) {
    points.push_back({k, static_cast<double>(outside) / all});
    const auto here = row.octaves.find(k);
    outside -= here == row.octaves.end() ? 0 : here->second;
  }
  points.push_back({points.empty() ? 0 : points.back().k + 1, 0.0});
  return points;
}

std::optional<double> gap_bits(const std::vector<NumericsRow>& rows, const std::string& tensor) {
  const auto largest = [&](const char* subject) {
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const NumericsRow& r) { return r.subject == subject && r.tensor == tensor; });
    return row == rows.end() ? 0.0 : row->max_rho;
  };
  const double candidate = largest("candidate"), reference = largest("reference");
  if (!(candidate > 0.0) || !(reference > 0.0)) return std::nullopt;
  if (!std::isfinite(candidate) || !std::isfinite(reference)) return std::nullopt;
  return std::log2(candidate / reference);
}

}  // namespace assay
