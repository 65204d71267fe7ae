#include "roi/valid.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "core/error.h"

namespace assay::roi {

void fail(const std::string& message, std::source_location where) {
  throw Error(message, Exit::kUsage, where);
}

std::string number_text(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

namespace {

std::string named(std::string_view what, double value) {
  return "the " + std::string(what) + " is " + number_text(value);
}

}  // namespace

void check_share(std::string_view what, double value) {
  if (value >= 0.0 && value <= 1.0) return;
  const bool percent = value > 1.0 && value <= 100.0;
  fail(named(what, value) + ": it must lie between 0 and 1" +
       (percent ? "; write " + number_text(value / 100.0) + " for " + number_text(value) + " %" : ""));
}

void check_speedup(std::string_view what, double value) {
  if (value > 0.0) return;
  fail(named(what, value) + ": it must be above 0 (old time / new time)");
}

void check_positive(std::string_view what, double value) {
  if (value > 0.0 && std::isfinite(value)) return;
  fail(named(what, value) + ": it must be above 0 and finite");
}

void check_not_negative(std::string_view what, double value) {
  if (value >= 0.0 && std::isfinite(value)) return;
  fail(named(what, value) + ": it must not be negative, and finite");
}

double rounded(double value, int decimals) {
  // Decimal fractions such as 0.125 or 299.985 are rarely exact: the nearest double of the scaled value decides.
  const double scale = std::pow(10.0, decimals);
  const double scaled = value * scale;
  return std::isfinite(scaled) ? std::round(scaled) / scale : value;
}

std::string fixed_text(double value, int decimals) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, rounded(value, decimals));
  return text.data();
}

std::string percent_text(double fraction, int decimals) {
  return fixed_text(fraction * 100.0, decimals) + " %";
}

std::string usd_text(double usd) {
  std::string digits = fixed_text(std::fabs(usd), 2);
  for (std::size_t at = digits.find('.'); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return (rounded(usd, 2) < 0.0 ? "-$" : "$") + digits;
}

}  // namespace assay::roi
