#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roi/byte_source.h"

namespace assay::roi {

/// Reads JSON front to back without holding it: the caller walks objects and arrays and skips what it doesn't want.
/// Skipped values are checked for balanced brackets and ended strings only. Mistakes throw assay::Error with the line.
class JsonScanner {
 public:
  JsonScanner(ByteSource& source, std::string name) : window_(source, std::move(name)) {}

  enum class Kind : std::uint8_t { object, array, string, number, literal };
  Kind peek();

  void begin_object();
  /// The next key, or false at the end of the object. The view holds until the next call.
  bool next_key(std::string_view& key);
  void begin_array();
  /// Whether the array goes on.
  bool next_element();

  /// Escapes are decoded. The view holds until the next call.
  std::string_view string();
  double number();
  std::int64_t integer();
  /// A number of microseconds in whole nanoseconds: exact where a double is not.
  std::int64_t microseconds_as_ns();
  void skip();
  /// Leaves the object that next_key is walking.
  void skip_rest_of_object() { skip_to('}'); }
  /// Throws unless only blanks are left.
  void expect_end();

  std::int64_t line() const { return window_.line(); }
  [[noreturn]] void fail(const std::string& message) const { window_.fail(message); }

 private:
  char next_visible();
  void expect(char wanted, const char* what);
  void skip_string();
  void skip_to(char closer);
  void skip_scalar();
  std::string_view raw_string(bool& escaped);
  std::string_view raw_scalar();
  std::string_view decoded(std::string_view raw);

  Window window_;
  bool fresh_ = false;  ///< an object or array has just begun: no comma yet
  std::string scratch_;
  std::vector<char> closers_;
};

}  // namespace assay::roi
