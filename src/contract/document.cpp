#include "contract/document.h"

#include <algorithm>
#include <array>
#include <cstdlib>
// toml++ 3.3 asserts what malformed texts break ("[" and a line end), and reports the mistake properly where it goes
// on; with NDEBUG it even tells some compilers to assume it. Neither, in every kind of build.
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#include <toml++/toml.h>

namespace assay::contract {
namespace {

Position position_of(const toml::source_region& region) {
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

Node convert(const toml::node& source, const std::string& path);

void convert_table(const toml::table& table, Node& node) {
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    const std::string path = node.path.empty() ? name : node.path + "." + name;
    node.members.push_back({name, position_of(key.source()), convert(value, path)});
  }
  // toml++ sorts keys by name; the order of the file is what people see, and that of arguments.
  std::stable_sort(node.members.begin(), node.members.end(),
                   [](const Member& a, const Member& b) { return a.at < b.at; });
}

void convert_array(const toml::array& array, Node& node) {
  for (const toml::node& item : array) {
    node.items.push_back(convert(item, node.path + "[" + std::to_string(node.items.size()) + "]"));
  }
}

void convert_scalar(const toml::node& source, Node& node) {
  node.kind = NodeKind::date;
  if (const auto* text = source.as_string()) {
    node.kind = NodeKind::string;
    node.text = text->get();
  } else if (const auto* integer = source.as_integer()) {
    node.kind = NodeKind::integer;
    node.integer = integer->get();
  } else if (const auto* real = source.as_floating_point()) {
    node.kind = NodeKind::real;
    node.real = real->get();
  } else if (const auto* boolean = source.as_boolean()) {
    node.kind = NodeKind::boolean;
    node.boolean = boolean->get();
  }
}

Node convert(const toml::node& source, const std::string& path) {
  Node node;
  node.path = path;
  node.at = position_of(source.source());
  if (const auto* table = source.as_table()) {
    convert_table(*table, node);
  } else if (const auto* array = source.as_array()) {
    node.kind = NodeKind::array;
    convert_array(*array, node);
  } else {
    convert_scalar(source, node);
  }
  return node;
}

/// Walks over the raw text of a file, counting lines and characters.
class Cursor {
 public:
  Cursor(std::string_view text, Position to) : text_(text) {
    while (at_ < text_.size() && position_ < to) step();
  }

  bool starts_with(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool done() const { return at_ >= text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  Position position() const { return position_; }

  void step(std::size_t count = 1) {
    for (; count > 0 && at_ < text_.size(); --count) {
      const bool line_break = text_[at_] == '\n';
      ++at_;
      while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xC0U) == 0x80U) ++at_;
      if (line_break) ++position_.line, position_.column = 0;
      ++position_.column;
    }
  }

  /// Bytes of the character under the cursor.
  std::size_t width() const {
    std::size_t n = 1;
    while (at_ + n < text_.size() && (static_cast<unsigned char>(text_[at_ + n]) & 0xC0U) == 0x80U) ++n;
    return n;
  }

  std::string_view ahead(std::size_t skip, std::size_t count) const {
    return at_ + skip < text_.size() ? text_.substr(at_ + skip, count) : std::string_view();
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  Position position_;
};

constexpr int kMaxNesting = 16;

/// Steps over the string that begins here.
void skip_string(Cursor& cursor) {
  const char quote = cursor.peek();
  const std::string fence(3, quote);
  const bool long_form = cursor.starts_with(fence);
  const std::string_view end = long_form ? std::string_view(fence) : std::string_view(fence).substr(0, 1);
  cursor.step(end.size());
  while (!cursor.done() && !cursor.starts_with(end) && (long_form || cursor.peek() != '\n')) {
    cursor.step(quote == '"' && cursor.peek() == '\\' ? 2 : 1);
  }
  cursor.step(end.size());
}

/// Brackets and dotted keys make a tree as deep as the text is long, and trees are walked by recursion: a hostile text
/// is refused before it is parsed. What no contract needs: 16 brackets open at once, or 16 dots in one key.
std::optional<SyntaxError> too_deep(std::string_view text) {
  int brackets = 0, dots = 0;
  for (Cursor cursor(text, {}); !cursor.done();) {
    const char c = cursor.peek();
    if (c == '"' || c == '\'') {
      skip_string(cursor);
      continue;
    }
    if (c == '#') {
      while (!cursor.done() && cursor.peek() != '\n') cursor.step();
      continue;
    }
    if (c == '[' || c == '{') ++brackets;
    if (c == ']' || c == '}') --brackets;
    if (std::string_view("[]{}=,\n").find(c) != std::string_view::npos) dots = 0;
    if (c == '.') ++dots;
    if (brackets > kMaxNesting || dots > kMaxNesting) return SyntaxError{cursor.position(), "nested too deeply"};
    cursor.step();
  }
  return std::nullopt;
}

std::size_t utf8_length(unsigned long code) {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

/// Steps over one escape and returns how many bytes of the value it stands for.
std::size_t step_escape(Cursor& cursor) {
  cursor.step();
  const char kind = cursor.peek();
  if (kind == 'u' || kind == 'U') {
    const std::size_t digits = kind == 'u' ? 4 : 8;
    const std::string hex(cursor.ahead(1, digits));
    cursor.step(1 + digits);
    return utf8_length(std::strtoul(hex.c_str(), nullptr, 16));
  }
  const bool joins_lines = kind == '\n' || kind == '\r' || kind == ' ' || kind == '\t';
  if (!joins_lines) {
    cursor.step();
    return 1;
  }
  while (!cursor.done() && std::string_view(" \t\r\n").find(cursor.peek()) != std::string_view::npos) cursor.step();
  return 0;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  const auto it = std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.key == key; });
  return it == members.end() ? nullptr : &it->value;
}

std::variant<Node, SyntaxError> parse_document(std::string_view text) {
  if (const auto deep = too_deep(text)) return *deep;
  try {
    return convert(toml::parse(text), "");
  } catch (const toml::parse_error& error) {
    return SyntaxError{position_of(error.source()), std::string(error.description())};
  }
}

Position inside_string(std::string_view text, const Node& string, std::size_t offset) {
  Cursor cursor(text, string.at);
  const bool basic = cursor.starts_with("\"");
  const bool long_form = cursor.starts_with("\"\"\"") || cursor.starts_with("'''");
  cursor.step(long_form ? 3 : 1);
  if (long_form && cursor.starts_with("\r\n")) cursor.step();
  if (long_form && cursor.starts_with("\n")) cursor.step();
  for (std::size_t value = 0; value < offset && !cursor.done();) {
    if (basic && cursor.peek() == '\\') {
      value += step_escape(cursor);
    } else {
      value += cursor.width();
      cursor.step();
    }
  }
  return cursor.position();
}

std::string_view article_and_name(NodeKind kind) {
  constexpr std::array<std::string_view, 7> kNames{"a string", "an integer", "a number", "true or false",
                                                   "an array", "a table",    "a date"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace assay::contract
