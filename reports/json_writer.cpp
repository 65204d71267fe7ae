// The library's own writer is not used: its doubles are not always the shortest, it turns NaN into null, throws on
// invalid UTF-8 and lets C1 controls through to whoever prints the file.
#include "reports/json_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "reports/text.h"

namespace assay::reports {
namespace {

void append_escape(std::string& out, char32_t point) {
  if (point < 0x10000) {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(point));
    return;
  }
  const auto rest = static_cast<unsigned>(point - 0x10000);
  out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

void append_string(std::string& out, const std::string& text) {
  out.push_back('"');
  for (char32_t point : decode(text)) {
    if (point == U'"' || point == U'\\') {
      out.push_back('\\');
      out.push_back(static_cast<char>(point));
    } else if (point == U'\n') {
      out += "\\n";
    } else if (is_command(point)) {
      append_escape(out, point);
    } else {
      append_utf8(out, point);
    }
  }
  out.push_back('"');
}

void append_double(std::string& out, double value) {
  if (std::isfinite(value)) {
    out += shortest(value);
  } else {
    append_string(out, shortest(value));
  }
}

void append_value(std::string& out, const nlohmann::json& value, std::size_t indent);

void append_break(std::string& out, std::size_t indent) {
  out.push_back('\n');
  out.append(indent, ' ');
}

void append_object(std::string& out, const nlohmann::json& object, std::size_t indent) {
  out.push_back('{');
  bool first = true;
  for (const auto& [key, value] : object.items()) {
    if (!first) out.push_back(',');
    first = false;
    append_break(out, indent + 2);
    append_string(out, key);
    out += ": ";
    append_value(out, value, indent + 2);
  }
  if (!first) append_break(out, indent);
  out.push_back('}');
}

void append_array(std::string& out, const nlohmann::json& array, std::size_t indent) {
  out.push_back('[');
  bool first = true;
  for (const nlohmann::json& value : array) {
    if (!first) out.push_back(',');
    first = false;
    append_break(out, indent + 2);
    append_value(out, value, indent + 2);
  }
  if (!first) append_break(out, indent);
  out.push_back(']');
}

void append_value(std::string& out, const nlohmann::json& value, std::size_t indent) {
  if (value.is_object()) return append_object(out, value, indent);
  if (value.is_array()) return append_array(out, value, indent);
  if (value.is_string()) return append_string(out, value.get_ref<const std::string&>());
  if (value.is_number_float()) return append_double(out, value.get<double>());
  out += value.dump();  // integers, truth values, null
}

}  // namespace

std::string write_json(const nlohmann::json& value) {
  std::string out;
  append_value(out, value, 0);
  out.push_back('\n');
  return out;
}

}  // namespace assay::reports
