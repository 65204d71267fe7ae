#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/axes.h"

namespace assay {

/// Why a text is no expression, or why it has no value. `offset` counts bytes from the start of the text.
struct ExprError {
  std::size_t offset = 0;
  std::string message;
};

namespace detail {
struct ExprNode;
}

/// An integer expression over axes: + - * / % ( ) min max ceildiv (CONTRACT.md, "[tensors]"). Immutable, cheap to copy.
/// Division truncates towards zero as in C; every step is checked for overflow of int64 and for division by zero.
class Expression {
 public:
  Expression() = default;  ///< the constant 0
  static std::variant<Expression, ExprError> parse(std::string_view text);
  static Expression constant(std::int64_t value);

  std::variant<std::int64_t, ExprError> evaluate(const AxisValues& axes) const;
  /// Axis names used, sorted and unique.
  std::vector<std::string> names() const;
  /// The text as written ("0" for the default).
  const std::string& text() const { return text_; }

 private:
  std::string text_ = "0";
  std::shared_ptr<const detail::ExprNode> root_;
};

/// A relation between shape expressions: == != < <= > >= joined by `and`, `or`, with parentheses ("[op] constraints").
class Constraint {
 public:
  static std::variant<Constraint, ExprError> parse(std::string_view text);

  std::variant<bool, ExprError> holds(const AxisValues& axes) const;
  std::vector<std::string> names() const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::shared_ptr<const detail::ExprNode> root_;
};

}  // namespace assay
