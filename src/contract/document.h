#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace assay::contract {

/// A place in the file; both count from 1, columns in characters as editors do.
struct Position {
  int line = 1;
  int column = 1;
  auto operator<=>(const Position&) const = default;
};

enum class NodeKind : std::uint8_t { string, integer, real, boolean, array, table, date };

struct Member;

/// A TOML value with its place. Tables keep the order of the file.
struct Node {
  NodeKind kind = NodeKind::table;
  Position at;
  std::string path;  ///< "tensors.x.shape": for messages
  std::string text;  ///< of a string
  std::int64_t integer = 0;
  double real = 0.0;
  bool boolean = false;
  std::vector<Node> items;
  std::vector<Member> members;

  const Node* find(std::string_view key) const;
};

struct Member {
  std::string key;
  Position at;
  Node value;
};

struct SyntaxError {
  Position at;
  std::string message;
};

/// Parses TOML. Only here is toml++ used.
std::variant<Node, SyntaxError> parse_document(std::string_view text);

/// The place of byte `offset` of a string's value, given where the string begins in `text`: quotes, escapes and line
/// breaks of the four kinds of TOML strings are accounted for.
Position inside_string(std::string_view text, const Node& string, std::size_t offset);

/// "a string", "an integer", …
std::string_view article_and_name(NodeKind kind);

}  // namespace assay::contract
