#pragma once
#include <charconv>
#include <string_view>
#include <vector>

/// Small readers for the texts of this layer: /proc, /sys and campaign files.
namespace assay::timing {

/// All of `text` as a number, in the C locale; false leaves `value` undefined.
template <class Number>
bool read_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// The words between any of `separators`.
inline std::vector<std::string_view> words_of(std::string_view text, std::string_view separators = " \t\n/") {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(separators, at)) != std::string_view::npos) {
    const std::size_t end = text.find_first_of(separators, at);
    words.push_back(text.substr(at, end - at));
    at = end < text.size() ? end : text.size();
  }
  return words;
}

}  // namespace assay::timing
