#pragma once
#include <string>
#include <string_view>
#include <vector>

/// Text of a subject is data: these make it harmless before it reaches a file or a terminal.
namespace assay::reports {

/// Every byte that is not valid UTF-8 becomes U+FFFD; the rest is unchanged.
std::string valid_utf8(std::string_view text);

/// Whether a terminal, an editor or a log could take this code point for a command rather than for a letter: C0 and C1
/// controls, line and paragraph separators, and the marks that reorder text (Unicode TR 36).
bool is_command(char32_t point);

/// Code points of valid UTF-8.
std::u32string decode(std::string_view text);
void append_utf8(std::string& text, char32_t point);

/// Valid UTF-8 on one line: commands are written as \n, \t, \x1b or \u202e.
std::string printable(std::string_view text);

/// Columns on a terminal, counting each code point as one.
std::size_t shown_width(std::string_view text);

/// Lines of at most `width` columns, broken at spaces where there are any. Never empty.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// Text for XML 1.0 content and attributes: printable, with & < > " ' as entities.
std::string xml_text(std::string_view text);

/// The shortest decimal that reads back as the same double; "NaN", "Infinity", "-Infinity".
std::string shortest(double value);

/// "12.3 µs": three significant digits and a unit that fits. For people.
std::string duration(double seconds);

}  // namespace assay::reports
