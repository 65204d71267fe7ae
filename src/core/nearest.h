#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Edits (insert, delete, replace, swap of neighbours) that turn one word into the other, letter case aside.
std::size_t edit_distance(std::string_view first, std::string_view second);

/// The known words close enough to be what was meant, nearest first, at most `limit`; none if all are far.
std::vector<std::string> near_words(std::string_view word, std::span<const std::string_view> known,
                                    std::size_t limit = 3);

/// "; did you mean 'audit'?" or nothing: the tail of a message about an unknown word.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace assay
