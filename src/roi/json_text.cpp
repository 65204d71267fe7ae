#include "roi/json_text.h"

#include <algorithm>
#include <cmath>

#include "roi/valid.h"

namespace assay::roi {

using nlohmann::json;

std::string read_whole(ByteSource& source, const std::string& name) {
  constexpr std::size_t kMost = std::size_t{1} << 26, kStep = std::size_t{1} << 18;
  std::string text;
  for (;;) {
    const std::size_t size = text.size();
    text.resize(size + kStep);
    const std::size_t got = source.read(text.data() + size, kStep);
    text.resize(size + got);
    if (got == 0) return text;
    if (text.size() > kMost) roi::fail(name + ": larger than 64 MiB: is this a summary?");
  }
}

json parse_json(const std::string& text, const std::string& name) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    const auto at = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    const auto line = 1 + std::count(text.begin(), at, '\n');
    const bool cut = error.byte > text.size();
    std::string cause = error.what();
    cause = cause.substr(cause.find("; ") == std::string::npos ? 0 : cause.find("; ") + 2);
    roi::fail(name + ":" + std::to_string(line) + ": " +
              (cut ? "the JSON is cut short; was the file written to its end?" : "bad JSON: " + cause));
  }
}

void JsonRow::fail(const std::string& message) const {
  roi::fail(file_ + ": " + (place_.empty() ? "" : place_ + ": ") + message);
}

bool JsonRow::has(std::string_view key) const {
  return value_.is_object() && value_.contains(key) && !value_.at(std::string(key)).is_null();
}

const json& JsonRow::value(std::string_view key) const {
  if (!value_.is_object()) fail("expected an object");
  if (!has(key)) fail("'" + std::string(key) + "' is missing");
  return value_.at(std::string(key));
}

double JsonRow::number(std::string_view key) const {
  const json& found = value(key);
  if (!found.is_number() || !std::isfinite(found.get<double>())) {
    fail("'" + std::string(key) + "' is no number: " + found.dump().substr(0, 40));
  }
  return found.get<double>();
}

bool JsonRow::truth(std::string_view key) const {
  const json& found = value(key);
  if (!found.is_boolean()) fail("'" + std::string(key) + "' is neither true nor false: " + found.dump().substr(0, 40));
  return found.get<bool>();
}

std::string JsonRow::text(std::string_view key) const {
  const json& found = value(key);
  if (!found.is_string() || found.get_ref<const std::string&>().empty()) {
    fail("'" + std::string(key) + "' is no text: " + found.dump().substr(0, 40));
  }
  return found.get<std::string>();
}

std::string JsonRow::loose_text(std::string_view key) const {
  if (!has(key)) return "";
  const json& found = value(key);
  return found.is_string() ? found.get<std::string>() : found.dump();
}

std::vector<JsonRow> JsonRow::rows(std::string_view key) const {
  return JsonRow(value(key), file_, std::string(key)).rows();
}

std::vector<JsonRow> JsonRow::rows() const {
  if (!value_.is_array()) fail("expected a list");
  std::vector<JsonRow> list;
  for (std::size_t i = 0; i < value_.size(); ++i) {
    list.emplace_back(value_[i], file_, place_ + "[" + std::to_string(i) + "]");
  }
  return list;
}

}  // namespace assay::roi
