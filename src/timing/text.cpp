#include "timing/text.h"

#include <cstdio>

namespace assay::timing {
namespace {

std::string printed(const char* form, double value) {
  char text[48];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

}  // namespace

std::string percent_text(double share) {
  return printed("%.3g %%", 100.0 * share);
}
std::string ratio_text(double ratio) {
  return printed("%.4gx", ratio);
}
std::string microseconds_text(double seconds) {
  return printed("%.4g us", 1e6 * seconds);
}

std::string range_text(const Interval& ratios) {
  return "[" + ratio_text(ratios.low) + ", " + ratio_text(ratios.high) + "]";
}

std::string too_few_text(const TooFew& few) {
  return std::to_string(few.have) + " process pairs where this level needs " + std::to_string(few.need);
}

}  // namespace assay::timing
