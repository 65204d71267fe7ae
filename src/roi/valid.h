#pragma once
#include <source_location>
#include <string>
#include <string_view>

/// What numbers may be, with one message for each kind of mistake. All throw assay::Error with exit 2.
namespace assay::roi {

[[noreturn]] void fail(const std::string& message, std::source_location where = std::source_location::current());

void check_share(std::string_view what, double value);         ///< in [0, 1]
void check_speedup(std::string_view what, double value);       ///< positive; infinite allowed
void check_positive(std::string_view what, double value);      ///< positive and finite
void check_not_negative(std::string_view what, double value);  ///< finite, zero allowed

/// Six significant digits, "0.25": for messages.
std::string number_text(double value);

/// "12.5 %" with `decimals` places, half away from zero: for people.
std::string percent_text(double fraction, int decimals = 1);

/// `decimals` places, half away from zero (ROI.md, "Conventions").
std::string fixed_text(double value, int decimals);

/// "$1,234.57".
std::string usd_text(double usd);

/// `value` to `decimals` places, half away from zero.
double rounded(double value, int decimals);

}  // namespace assay::roi
