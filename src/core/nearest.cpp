#include "core/nearest.h"

#include <algorithm>
#include <cctype>

namespace assay {
namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// A third of the word may be wrong, at least one letter: "adit" finds "audit", "x" finds only one-letter words.
std::size_t tolerated(std::string_view word) {
  return std::max<std::size_t>(1, word.size() / 3);
}

}  // namespace

std::size_t edit_distance(std::string_view first, std::string_view second) {
  std::vector<std::size_t> before(second.size() + 1), last(second.size() + 1), row(second.size() + 1);
  for (std::size_t j = 0; j <= second.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= first.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= second.size(); ++j) {
      const bool equal = lower(first[i - 1]) == lower(second[j - 1]);
      row[j] = std::min({row[j - 1] + 1, last[j] + 1, last[j - 1] + (equal ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && lower(first[i - 1]) == lower(second[j - 2]) && lower(first[i - 2]) == lower(second[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[second.size()];
}

std::vector<std::string> near_words(std::string_view word, std::span<const std::string_view> known, std::size_t limit) {
  std::vector<std::pair<std::size_t, std::string_view>> close;
  for (std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance <= tolerated(word) && distance < candidate.size()) close.emplace_back(distance, candidate);
  }
  std::sort(close.begin(), close.end());
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(limit, close.size()); ++i) words.emplace_back(close[i].second);
  return words;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  const std::vector<std::string> words = near_words(word, known, 1);
  return words.empty() ? "" : "; did you mean '" + words.front() + "'?";
}

}  // namespace assay
