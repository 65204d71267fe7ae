#include "roi/csv_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "roi/valid.h"

namespace assay::roi {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

void CsvReader::fail(const std::string& message) const {
  roi::fail(window_.name() + ":" + std::to_string(line_) + ": " + message);
}

bool CsvReader::get(char& c) {
  if (window_.at == window_.end && !window_.refill()) return false;
  c = *window_.at++;
  if (c == '\n') ++next_line_;
  return true;
}

/// After the opening quote, to past the closing one.
void CsvReader::read_quoted(std::string& field) {
  char c = 0;
  for (;;) {
    if (!get(c)) fail("a quoted field does not end; was the file written to its end?");
    if (c != '"') {
      field += c;
      continue;
    }
    const bool more = window_.at != window_.end || window_.refill();
    if (!more || *window_.at != '"') return;
    ++window_.at;
    field += '"';
  }
}

bool CsvReader::next(std::vector<std::string>& fields) {
  fields.clear();
  line_ = next_line_;
  std::string field;
  bool quoted = false, any = false;
  const auto finish_field = [&] {
    fields.emplace_back(quoted ? field : std::string(trimmed(field)));
    field.clear();
    quoted = false;
  };
  for (char c = 0; get(c);) {
    any = true;
    if (c == '\n') {
      finish_field();
      return true;
    }
    if (c == '"' && trimmed(field).empty() && !quoted) {
      field.clear();
      quoted = true;
      read_quoted(field);
    } else if (c == ',') {
      finish_field();
    } else if (!quoted || !trimmed({&c, 1}).empty()) {
      field += c;
    }
  }
  if (any) finish_field();
  return any;
}

bool NumberStyle::learn(Sign sign, std::string& why) {
  const bool misread = sign == Sign::comma && guessed_ && decimal_ == Sign::unknown;
  if (misread || (decimal_ != Sign::unknown && decimal_ != sign)) {
    why = "numbers are written in two ways: comma and point both appear as decimal sign";
    return false;
  }
  decimal_ = sign;
  return true;
}

namespace {

/// Whether `text` is 1 to 3 digits and then groups of 3 behind `separator`.
bool in_groups(std::string_view text, char separator) {
  std::size_t at = text.find(separator);
  if (at == 0 || at > 3 || at == std::string_view::npos) return false;
  for (; at < text.size(); at += 4) {
    if (text[at] != separator || text.size() - at < 4) return false;
    const std::string_view group = text.substr(at + 1, 3);
    if (!std::all_of(group.begin(), group.end(), [](char c) { return c >= '0' && c <= '9'; })) return false;
  }
  return true;
}

std::optional<double> plain_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> NumberStyle::parse(std::string_view text, std::string& why) {
  why = "expected a number, found '" + std::string(text.substr(0, 40)) + "'";
  const std::string_view digits = text.substr(text.empty() || text.front() != '-' ? 0 : 1);
  const std::size_t comma = digits.find(','), point = digits.find('.');
  const bool both = comma != std::string_view::npos && point != std::string_view::npos;
  Sign decimal = decimal_ == Sign::unknown ? Sign::point : decimal_;
  if (both) decimal = digits.rfind(',') < digits.rfind('.') ? Sign::point : Sign::comma;
  if (!both && comma != std::string_view::npos && (!in_groups(digits, ',') || digits.front() == '0')) {
    decimal = Sign::comma;
  }
  const bool many_points = point != std::string_view::npos && digits.find('.', point + 1) != std::string_view::npos;
  if (!both && many_points) decimal = Sign::comma;
  if (!both && point != std::string_view::npos && !in_groups(digits, '.')) decimal = Sign::point;
  const bool evident = both || many_points || decimal == Sign::comma ||
                       (point != std::string_view::npos && (!in_groups(digits, '.') || digits.front() == '0'));
  if (evident && !learn(decimal, why)) return std::nullopt;
  if (!evident && comma != std::string_view::npos) guessed_ = true;

  const char separator = decimal == Sign::point ? ',' : '.', mark = decimal == Sign::point ? '.' : ',';
  const std::string_view whole = digits.substr(0, digits.find(mark));
  if (whole.find(separator) != std::string_view::npos && !in_groups(whole, separator)) return std::nullopt;
  std::string plain;
  for (char c : text) {
    if (c != separator) plain += c == mark ? '.' : c;
  }
  return plain_number(plain);
}

std::optional<double> seconds_per(std::string_view unit) {
  struct Row {
    std::string_view name;
    double seconds;
  };
  constexpr std::array<Row, 16> kUnits{{{"ns", 1e-9},
                                        {"nsecond", 1e-9},
                                        {"nsec", 1e-9},
                                        {"nanosecond", 1e-9},
                                        {"us", 1e-6},
                                        {"µs", 1e-6},
                                        {"usecond", 1e-6},
                                        {"usec", 1e-6},
                                        {"microsecond", 1e-6},
                                        {"ms", 1e-3},
                                        {"msecond", 1e-3},
                                        {"msec", 1e-3},
                                        {"millisecond", 1e-3},
                                        {"s", 1.0},
                                        {"second", 1.0},
                                        {"sec", 1.0}}};
  for (const Row& row : kUnits) {
    if (row.name == unit) return row.seconds;
  }
  return std::nullopt;
}

std::string_view unit_in(std::string_view header) {
  const std::size_t open = header.rfind('('), close = header.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return header.substr(open + 1, close - open - 1);
}

}  // namespace assay::roi
