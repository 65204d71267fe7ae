#include "reports/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace assay::reports {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Lead {
  unsigned char mask, value;
  std::size_t bytes;
  char32_t smallest;  ///< anything less is an overlong form
};
constexpr std::array<Lead, 4> kLeads{{
    {0x80, 0x00, 1, 0},
    {0xE0, 0xC0, 2, 0x80},
    {0xF0, 0xE0, 3, 0x800},
    {0xF8, 0xF0, 4, 0x10000},
}};

struct Decoded {
  char32_t point = kReplacement;
  std::size_t bytes = 1;
};

/// The first code point of non-empty text; one byte of U+FFFD where there is none.
Decoded decode_one(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const auto lead =
      std::find_if(kLeads.begin(), kLeads.end(), [&](const Lead& l) { return (first & l.mask) == l.value; });
  if (lead == kLeads.end() || text.size() < lead->bytes) return {};
  char32_t point = first & static_cast<unsigned char>(~lead->mask);
  for (std::size_t i = 1; i < lead->bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    point = (point << 6) | (next & 0x3F);
  }
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  if (point < lead->smallest || surrogate || point > 0x10FFFF) return {};
  return {point, lead->bytes};
}

struct Span {
  char32_t first, last;
};
constexpr std::array<Span, 7> kCommands{{
    {0x00, 0x1F},
    {0x7F, 0x9F},
    {0x061C, 0x061C},
    {0x200E, 0x200F},
    {0x2028, 0x202E},
    {0x2066, 0x2069},
    {0xFEFF, 0xFEFF},
}};

std::string escaped(char32_t point) {
  if (point == '\n') return "\\n";
  if (point == '\t') return "\\t";
  if (point == '\r') return "\\r";
  return point < 0x100 ? fmt::format("\\x{:02x}", static_cast<unsigned>(point))
                       : fmt::format("\\u{:04x}", static_cast<unsigned>(point));
}

/// How much of `text` makes a line of `width` columns: up to the last space that fits, else up to the edge.
std::size_t line_length(const std::u32string& text, std::size_t start, std::size_t width) {
  if (text.size() - start <= width) return text.size() - start;
  const std::size_t space = text.rfind(U' ', start + width);
  return space != std::u32string::npos && space > start ? space - start : width;
}

std::string encode(std::u32string_view points) {
  std::string text;
  for (char32_t point : points) append_utf8(text, point);
  return text;
}

}  // namespace

std::u32string decode(std::string_view text) {
  std::u32string points;
  while (!text.empty()) {
    const Decoded next = decode_one(text);
    points.push_back(next.point);
    text.remove_prefix(next.bytes);
  }
  return points;
}

void append_utf8(std::string& text, char32_t point) {
  const auto tail = [&](int shift) { text.push_back(static_cast<char>(0x80 | ((point >> shift) & 0x3F))); };
  if (point < 0x80) {
    text.push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    text.push_back(static_cast<char>(0xC0 | (point >> 6)));
    tail(0);
  } else if (point < 0x10000) {
    text.push_back(static_cast<char>(0xE0 | (point >> 12)));
    tail(6);
    tail(0);
  } else {
    text.push_back(static_cast<char>(0xF0 | (point >> 18)));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string valid_utf8(std::string_view text) {
  return encode(decode(text));
}

bool is_command(char32_t point) {
  return std::any_of(kCommands.begin(), kCommands.end(),
                     [&](const Span& span) { return point >= span.first && point <= span.last; });
}

std::string printable(std::string_view text) {
  std::string safe;
  for (char32_t point : decode(text)) {
    if (is_command(point)) {
      safe += escaped(point);
    } else {
      append_utf8(safe, point);
    }
  }
  return safe;
}

std::size_t shown_width(std::string_view text) {
  return decode(text).size();
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  const std::u32string points = decode(text);
  std::vector<std::string> lines;
  std::size_t start = 0;
  do {
    const std::size_t length = line_length(points, start, std::max<std::size_t>(width, 1));
    lines.push_back(encode(std::u32string_view(points).substr(start, length)));
    start += length;
    while (start < points.size() && points[start] == U' ') ++start;
  } while (start < points.size());
  return lines;
}

std::string xml_text(std::string_view text) {
  constexpr std::array<std::pair<char, std::string_view>, 5> kEntities{
      {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}}};
  std::string safe;
  for (char32_t point : decode(printable(text))) {
    const auto entity = std::find_if(kEntities.begin(), kEntities.end(),
                                     [&](const auto& each) { return static_cast<char32_t>(each.first) == point; });
    const bool allowed = point != 0xFFFE && point != 0xFFFF;  // XML 1.0, production Char
    if (entity != kEntities.end()) {
      safe += entity->second;
    } else {
      append_utf8(safe, allowed ? point : kReplacement);
    }
  }
  return safe;
}

std::string shortest(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

std::string duration(double seconds) {
  struct Unit {
    double size;
    std::string_view name;
  };
  constexpr std::array<Unit, 4> kUnits{{{1.0, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};
  for (const Unit& unit : kUnits) {
    if (seconds >= unit.size) return fmt::format("{:.3g} {}", seconds / unit.size, unit.name);
  }
  return fmt::format("{:.3g} s", seconds);
}

}  // namespace assay::reports
