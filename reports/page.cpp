#include "reports/page.h"

#include <algorithm>
#include <array>

#include "reports/text.h"

namespace assay::reports {
namespace {

constexpr std::size_t kLabel = 12;  // columns before the text of a field
constexpr std::size_t kNarrowest = 40;

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::size_t shown = shown_width(text);
  const std::string gap(width > shown ? width - shown : 0, ' ');
  return right ? gap + text : text + gap;
}

std::string without_trailing_spaces(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::vector<std::size_t> widths_of(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], shown_width(printable(row[i])));
  }
  return widths;
}

}  // namespace

Page::Page(ConsoleStyle style) : style_(style) {
  style_.width = std::max(style_.width, kNarrowest);
}

std::string Page::toned(const std::string& text, Tone tone) const {
  constexpr std::array<std::string_view, 6> kCodes{"", "1", "1;32", "1;31", "1;33", "1;35"};
  const std::string_view code = kCodes[static_cast<std::size_t>(tone)];
  if (!style_.colour || code.empty()) return text;
  return "\x1b[" + std::string(code) + "m" + text + "\x1b[0m";
}

void Page::line(std::string_view text, Tone tone) {
  for (const std::string& each : wrapped(printable(text), style_.width)) text_ += toned(each, tone) + "\n";
}

void Page::heading(std::string_view title) {
  text_ += "\n";
  line(title, Tone::strong);
}

void Page::hang(const std::string& start, std::string_view text) {
  const std::size_t indent = shown_width(start);
  std::string prefix = start;
  for (const std::string& each : wrapped(printable(text), style_.width - indent)) {
    text_ += prefix + each + "\n";
    prefix.assign(indent, ' ');
  }
}

void Page::bullet(std::string_view text) {
  hang("- ", text);
}

void Page::field(std::string_view label, std::string_view text) {
  // A label as wide as the column still keeps a space behind it.
  if (!text.empty()) hang(padded("  " + std::string(label) + " ", kLabel, false), text);
}

void Page::command(std::string_view label, std::string_view text) {
  if (!text.empty()) text_ += padded("  " + std::string(label), kLabel, false) + printable(text) + "\n";
}

void Page::table(const std::vector<std::vector<std::string>>& rows, std::size_t numbers) {
  const std::vector<std::size_t> widths = widths_of(rows);
  for (const auto& row : rows) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) text += "  " + padded(printable(row[i]), widths[i], i >= numbers);
    text_ += without_trailing_spaces(std::move(text)) + "\n";
  }
}

}  // namespace assay::reports
