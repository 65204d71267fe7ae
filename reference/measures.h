#pragma once
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "core/oracle.h"

namespace assay {

/// The largest residual that was seen, NaN above all.
class Largest {
 public:
  Largest(std::string_view output, std::string claim, double roundings) {
    property_.output = output;
    property_.claim = std::move(claim);
    property_.roundings = roundings;
  }
  void see(std::size_t index, long double residual) {
    ++property_.elements;
    if (residual <= property_.residual || std::isnan(property_.residual)) return;
    property_.residual = static_cast<double>(residual);
    property_.index = static_cast<std::int64_t>(index);
  }
  const Property& property() const { return property_; }

 private:
  Property property_;
};

/// How many elements are not what they must be, exactly.
class Broken {
 public:
  Broken(std::string_view output, std::string claim) {
    property_.output = output;
    property_.claim = std::move(claim);
  }
  void see(std::size_t index, bool holds) {
    ++property_.elements;
    if (holds) return;
    property_.residual += 1.0;
    const auto at = static_cast<std::int64_t>(index);
    if (property_.index < 0 || at < property_.index) property_.index = at;
  }
  const Property& property() const { return property_; }

 private:
  Property property_;
};

}  // namespace assay
