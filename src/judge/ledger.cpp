#include "judge/ledger.h"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

double median_s(std::vector<std::int64_t> times) {
  if (times.empty()) return 0.0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return static_cast<double>(*middle) * 1e-9;
}

/// Maxima and counts add up by themselves; means are weighted with the elements that they were taken over.
void merge(NumericsRow& into, const NumericsRow& row) {
  const auto a = static_cast<double>(into.elements);
  const auto b = static_cast<double>(row.elements);
  const double all = std::max(a + b, 1.0);
  into.rms_rho = std::sqrt((a * into.rms_rho * into.rms_rho + b * row.rms_rho * row.rms_rho) / all);
  into.mean_signed_rho = (a * into.mean_signed_rho + b * row.mean_signed_rho) / all;
  into.max_rho = std::max(into.max_rho, row.max_rho);
  into.max_abs_error = std::max(into.max_abs_error, row.max_abs_error);
  into.max_rel_error = std::max(into.max_rel_error, row.max_rel_error);
  into.spent_bits = std::max(into.spent_bits, row.spent_bits);
  into.limit = std::max(into.limit, row.limit);
  for (const auto& [k, count] : row.octaves) into.octaves[k] += count;
  into.elements += row.elements;
}

template <class Map, class Key>
auto value_or_default(const Map& map, const Key& key) {
  const auto it = map.find(key);
  return it == map.end() ? typename Map::mapped_type{} : it->second;
}

}  // namespace

void Ledger::called(const Script& script, const Counts& counts, double seconds) {
  total_ += counts;
  by_check_[script.check] += counts;
  seconds_[script.check] += seconds;
}

void Ledger::errors(const NumericsRow& row) {
  const auto [it, fresh] = errors_.try_emplace({row.subject, row.tensor}, row);
  if (!fresh) merge(it->second, row);
}

void Ledger::timed(const std::string& subject, const std::string& shape, std::int64_t wall_ns) {
  times_[shape][subject].push_back(wall_ns);
}

void Ledger::session(Lifetime lifetime, std::int64_t calls) {
  sessions_[lifetime] += calls;
}

void Ledger::outcome(const std::string& shape, bool right) {
  ++(right ? outcomes_[shape].first : outcomes_[shape].second);
}

bool Ledger::other_shapes_are_right(const std::string& shape) const {
  const auto here = outcomes_.find(shape);
  if (here == outcomes_.end() || here->second.first > 0) return false;
  return std::any_of(outcomes_.begin(), outcomes_.end(),
                     [](const auto& each) { return each.second.first > 0 && each.second.second == 0; });
}

Counts Ledger::counts_of(const std::string& check) const {
  return value_or_default(by_check_, check);
}
double Ledger::seconds_of(const std::string& check) const {
  return value_or_default(seconds_, check);
}
std::int64_t Ledger::calls_under(Lifetime lifetime) const {
  return value_or_default(sessions_, lifetime);
}

std::vector<NumericsRow> Ledger::numerics() const {
  std::vector<NumericsRow> rows;
  for (const auto& [key, row] : errors_) rows.push_back(row);
  return rows;
}

std::vector<SpeedRow> Ledger::speed(const Contract& contract) const {
  std::vector<SpeedRow> rows;
  for (const auto& each : times_) {
    const std::string& shape = each.first;
    const auto& subjects = each.second;
    const bool production = std::any_of(contract.shapes.begin(), contract.shapes.end(),
                                        [&](const ProductionShape& p) { return to_string(p.axes) == shape; });
    if (!contract.shapes.empty() && !production) continue;
    const std::vector<std::int64_t> candidate = value_or_default(subjects, std::string("candidate"));
    const std::vector<std::int64_t> reference = value_or_default(subjects, std::string("reference"));
    SpeedRow row;
    row.shape = shape;
    row.calls = static_cast<std::int64_t>(candidate.size());
    row.reference_s = median_s(reference);
    row.candidate_s = median_s(candidate);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace assay
