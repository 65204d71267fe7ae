#include "verdict/properties.h"

#include <algorithm>
#include <cstdio>

#include "numerics/float_formats.h"

namespace assay {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

double roundoff_of(const Contract& contract, const Tensor& output) {
  const double promised = unit_roundoff(contract.numerics.precision);
  return promised > 0.0 ? promised : limits_of(output.dtype).unit_roundoff;
}

}  // namespace

double property_limit(const Contract& contract, const Tensor& output, const Property& property, ErrorSigns signs) {
  if (property.roundings <= 0.0) return 0.0;
  return likely_roundoff(property.roundings, roundoff_of(contract, output), property.elements, signs);
}

Judgement judge_property(const Contract& contract, const Tensor& output, const Property& property, ErrorSigns signs) {
  if (property.elements == 0) return NothingMeasured{};
  const double limit = property_limit(contract, output, property, signs);
  const bool exact = property.roundings <= 0.0;
  const double unit = exact ? 1.0 : roundoff_of(contract, output);
  const double observed = property.residual / unit;
  if (property.residual <= limit) return Within{observed, limit / unit};  // false for NaN
  std::string message = "it does not hold that " + property.claim + ": ";
  message += exact ? number(observed) + " of " + std::to_string(property.elements) + " elements break it"
                   : "the error is " + number(observed) + " units of u, the bound allows " + number(limit / unit);
  return Beyond{Leg::property, observed, limit / unit, property.index, std::move(message)};
}

}  // namespace assay
