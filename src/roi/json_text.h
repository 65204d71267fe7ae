#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "roi/byte_source.h"

/// Small JSON files held as a whole, with errors that say where.
namespace assay::roi {

/// All of a source; throws assay::Error (exit 2) above 64 MiB.
std::string read_whole(ByteSource& source, const std::string& name);

/// Throws assay::Error (exit 2) with line and column of what is wrong.
nlohmann::json parse_json(const std::string& text, const std::string& name);

/// One object and its place in the file. Does not own the value.
class JsonRow {
 public:
  JsonRow(const nlohmann::json& value, std::string file, std::string place)
      : value_(value), file_(std::move(file)), place_(std::move(place)) {}

  bool has(std::string_view key) const;  ///< and it is not null
  const nlohmann::json& value(std::string_view key) const;
  double number(std::string_view key) const;  ///< finite
  bool truth(std::string_view key) const;
  std::string text(std::string_view key) const;        ///< a string, not empty
  std::string loose_text(std::string_view key) const;  ///< anything, as text; empty if missing
  std::vector<JsonRow> rows(std::string_view key) const;
  std::vector<JsonRow> rows() const;  ///< the value is itself the list
  const nlohmann::json& whole() const { return value_; }
  /// "FILE: PLACE: message", exit 2.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  const nlohmann::json& value_;
  std::string file_, place_;
};

}  // namespace assay::roi
