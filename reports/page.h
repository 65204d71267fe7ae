#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace assay::reports {

/// How a terminal wants its text.
struct ConsoleStyle {
  bool colour = false;
  std::size_t width = 100;  ///< columns; fewer than 40 count as 40
};

enum class Tone { plain, strong, good, bad, doubt, fault };

/// Text for a terminal, built top to bottom. All that it is given is made printable first.
class Page {
 public:
  explicit Page(ConsoleStyle style);

  /// One line, wrapped, in a tone.
  void line(std::string_view text, Tone tone = Tone::plain);
  /// An empty line, then a title.
  void heading(std::string_view title);
  /// "- text", wrapped with a hanging indent.
  void bullet(std::string_view text);
  /// "  label     text", wrapped with a hanging indent; nothing if the text is empty.
  void field(std::string_view label, std::string_view text);
  /// As `field`, but never wrapped, so that it can be copied.
  void command(std::string_view label, std::string_view text);
  /// Columns as wide as their widest cell; columns from `numbers` on are set flush right. First row: the titles.
  void table(const std::vector<std::vector<std::string>>& rows, std::size_t numbers);

  const std::string& text() const { return text_; }

 private:
  void hang(const std::string& start, std::string_view text);
  std::string toned(const std::string& text, Tone tone) const;

  ConsoleStyle style_;
  std::string text_;
};

}  // namespace assay::reports
