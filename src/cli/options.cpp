#include "cli/options.h"

#include <algorithm>

namespace assay::cli {
namespace {

bool letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool digit(char c) {
  return c >= '0' && c <= '9';
}

/// What a dynamic symbol of C or a mangled one of C++ looks like.
bool identifier(std::string_view text) {
  if (text.empty() || !letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return letter(c) || digit(c); });
}

}  // namespace

SubjectArg split_subject(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || !identifier(text.substr(colon + 1))) return {std::string(text), ""};
  return {std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

}  // namespace assay::cli
