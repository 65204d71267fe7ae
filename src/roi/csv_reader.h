#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roi/byte_source.h"

namespace assay::roi {

/// Rows of comma-separated values (RFC 4180): quotes, doubled quotes and line breaks inside quotes.
class CsvReader {
 public:
  CsvReader(ByteSource& source, std::string name) : window_(source, std::move(name)) {}

  /// The next line's fields without blanks around unquoted ones; an empty line is one empty field. False at the end.
  bool next(std::vector<std::string>& fields);
  /// The line on which the last row began.
  std::int64_t line() const { return line_; }
  /// Throws assay::Error: "NAME:LINE: message".
  [[noreturn]] void fail(const std::string& message) const;

 private:
  bool get(char& c);
  void read_quoted(std::string& field);

  Window window_;
  std::int64_t line_ = 0;
  std::int64_t next_line_ = 1;
};

/// Numbers as people's tables write them: "39,621,120", "1.234,5", "42.5". Which of comma and point is the decimal sign
/// is learned as the file goes on; a file that contradicts itself, or turns out to have been misread, is refused.
class NumberStyle {
 public:
  /// The number, or why there is none.
  std::optional<double> parse(std::string_view text, std::string& why);

 private:
  enum class Sign : std::uint8_t { unknown, point, comma };
  bool learn(Sign sign, std::string& why);

  Sign decimal_ = Sign::unknown;
  bool guessed_ = false;  ///< a lone comma before three digits was taken for thousands
};

/// Seconds in a unit of time such as ns, us, usecond, ms, s; nothing: no such unit.
std::optional<double> seconds_per(std::string_view unit);

/// "ns" of "Total Time (ns)"; empty: none.
std::string_view unit_in(std::string_view header);

}  // namespace assay::roi
