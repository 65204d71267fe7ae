#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/document.h"
#include "contract/load.h"
#include "core/contract.h"

namespace assay::contract {

/// A word of the language and what it stands for.
template <class Enum>
struct Word {
  std::string_view name;
  Enum value;
};

/// What is read so far, what is wrong so far, and how each kind of value is read. Every `read` returns false after it
/// has reported why; what could be read is kept, so that one mistake doesn't hide or cause others.
class Reader {
 public:
  Reader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  Contract contract;
  /// Names that the file declares, also those whose declaration is wrong.
  std::set<std::string> axis_names, tensor_names, param_names;
  /// Names that can't be used as they are: reserved, taken or malformed.
  std::set<std::string> misnamed;
  /// Tensors and params with errors of their own: nothing is concluded from their fields.
  std::set<std::string> broken;

  void fail(Position at, std::string message);
  void fail(const Node& node, std::string message) { fail(node.at, std::move(message)); }
  /// At byte `offset` of the value of a string.
  void fail_inside(const Node& string, std::size_t offset, std::string message);
  std::size_t error_count() const { return errors_.size(); }
  /// In the order of the file, each once; of more than a thousand the first that were found.
  std::vector<ContractError> errors() const;

  bool expect(const Node& node, NodeKind kind);
  bool read(const Node& node, std::string& out);  ///< not empty
  bool read(const Node& node, bool& out);
  bool read(const Node& node, std::int64_t& out);
  bool read(const Node& node, double& out);      ///< an integer or a finite number
  bool read_any(const Node& node, double& out);  ///< NaN and infinities too
  bool read(const Node& node, std::vector<std::string>& out);
  bool read(const Node& node, Expression& out);  ///< an integer or a text over declared axes
  bool read(const Node& node, Constraint& out);
  bool read(const Node& node, std::vector<Expression>& out);
  template <class T>
  bool read(const Node& node, std::optional<T>& out) {
    T value{};
    if (!read(node, value)) return false;
    out = std::move(value);
    return true;
  }

 private:
  template <class Parsed>
  bool read_parsed(const Node& node, Parsed& out);
  bool check_axes(const Node& node, const std::vector<std::string>& names);

  std::string_view text_;
  std::string file_;
  std::vector<ContractError> errors_;
};

/// A text from the file, cut to a length that fits a message.
std::string clip(std::string_view text);

/// "unknown WHAT 'word'; did you mean …", or the known words where none is near.
std::string unknown_word(std::string_view what, std::string_view word, std::span<const std::string_view> known);

template <class Enum, std::size_t N>
constexpr std::array<std::string_view, N> names_of(const std::array<Word<Enum>, N>& words) {
  std::array<std::string_view, N> names;
  for (std::size_t i = 0; i < N; ++i) names[i] = words[i].name;
  return names;
}

/// The word of `table` that a string is; reports and returns nothing if it is none.
template <class Enum, std::size_t N>
std::optional<Enum> read_word(Reader& reader, const Node& node, const std::array<Word<Enum>, N>& table) {
  if (!reader.expect(node, NodeKind::string)) return std::nullopt;
  for (const Word<Enum>& word : table) {
    if (word.name == node.text) return word.value;
  }
  reader.fail(node, unknown_word("value of " + node.path, node.text, names_of(table)));
  return std::nullopt;
}

}  // namespace assay::contract
