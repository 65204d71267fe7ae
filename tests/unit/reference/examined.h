#pragma once
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.h"

/// What a property oracle says of outputs.
namespace assay::testing_support {

inline std::vector<Property> examined(const Call& call, std::string_view id) {
  for (const Oracle& each : Registry<Oracle>::all()) {
    if (each.id != id) continue;
    const PropertyAnswer answer = each.examine(call.call);
    if (const auto* why = std::get_if<std::string>(&answer)) throw std::runtime_error(*why);
    return std::get<0>(answer);
  }
  throw std::runtime_error("no such oracle");
}

/// Claims of exact properties that are broken, joined with "; ".
inline std::string broken(const std::vector<Property>& properties) {
  std::string text;
  for (const Property& p : properties) {
    if (p.roundings == 0.0 && p.residual > 0.0) text += (text.empty() ? "" : "; ") + p.claim;
  }
  return text;
}

inline const Property& find(const std::vector<Property>& properties, std::string_view claim) {
  for (const Property& p : properties) {
    if (p.claim == claim) return p;
  }
  throw std::runtime_error("no such claim");
}

/// A residual in units of √roundings u: what an honest kernel keeps below about 5.
inline double spent(const Property& p, double u) {
  return p.residual / (u * std::sqrt(p.roundings));
}

}  // namespace assay::testing_support
