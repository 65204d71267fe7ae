#include "core/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

// Theory of operation: one grammar serves sizes and relations; each node says whether it is a number or a truth value,
// so that `(a + b) == c` and `(a == b) and c` need no look-ahead. Texts come from files that others wrote: their length
// and the nesting of parentheses are bounded, which bounds the recursion of parsing, evaluating and freeing a tree.
//
//   relation   = conjunction { "or" conjunction }        sum     = product { ("+" | "-") product }
//   conjunction = comparison { "and" comparison }        product = unary { ("*" | "/" | "%") unary }
//   comparison = sum [ ("==" | "!=" | "<" …) sum ]       unary   = "-" unary | number | name | name "(" … ")" | "(" …
//   ")"

namespace assay::detail {

enum class Op : std::uint8_t {
  literal,
  name,
  negate,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  min,
  max,
  ceildiv,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  both,
  either
};

struct ExprNode {
  Op op = Op::literal;
  std::size_t offset = 0;
  std::int64_t value = 0;
  std::string name;
  std::vector<std::shared_ptr<const ExprNode>> children;
};

}  // namespace assay::detail

namespace assay {
namespace {

using detail::ExprNode;
using detail::Op;
using Node = std::shared_ptr<const ExprNode>;
using Value = std::variant<std::int64_t, ExprError>;

constexpr std::size_t kMaxLength = 1024;
constexpr int kMaxDepth = 64;

bool is_relation(Op op) {
  return op >= Op::equal;
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct Symbol {
  std::string_view text;
  Op op;
};

// Longer spellings first.
constexpr std::array<Symbol, 6> kComparisons{{{"==", Op::equal},
                                              {"!=", Op::not_equal},
                                              {"<=", Op::less_equal},
                                              {">=", Op::greater_equal},
                                              {"<", Op::less},
                                              {">", Op::greater}}};
constexpr std::array<Symbol, 2> kSums{{{"+", Op::add}, {"-", Op::subtract}}};
constexpr std::array<Symbol, 3> kProducts{{{"*", Op::multiply}, {"/", Op::divide}, {"%", Op::remainder}}};
constexpr std::array<Symbol, 3> kFunctions{{{"min", Op::min}, {"max", Op::max}, {"ceildiv", Op::ceildiv}}};

// What people write who think of another language.
struct Hint {
  std::string_view text, advice;
};
constexpr std::array<Hint, 8> kHints{{{"&&", "write 'and'"},
                                      {"||", "write 'or'"},
                                      {"//", "write '/', which truncates"},
                                      {"**", "there is no power"},
                                      {"=", "write '=='"},
                                      {"!", "there is no 'not'"},
                                      {".", "only integers are allowed"},
                                      {"[", "only round parentheses are allowed"}}};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::variant<Node, ExprError> parse(bool want_relation) {
    if (text_.size() > kMaxLength) return ExprError{0, "longer than " + std::to_string(kMaxLength) + " characters"};
    Node root = relation();
    skip_space();
    if (!error_ && at_ < text_.size()) fail(at_, unexpected());
    if (!error_) require(root, want_relation);
    if (error_) return *error_;
    return root;
  }

 private:
  Node relation() {
    Node left = conjunction();
    while (!error_ && word("or")) left = join(Op::either, left, &Parser::conjunction, true);
    return left;
  }

  Node conjunction() {
    Node left = comparison();
    while (!error_ && word("and")) left = join(Op::both, left, &Parser::comparison, true);
    return left;
  }

  Node comparison() {
    Node left = sum();
    if (error_) return left;
    const std::optional<Op> op = symbol(kComparisons);
    if (!op) return left;
    Node node = join(*op, left, &Parser::sum, false);
    if (!error_ && symbol(kComparisons)) fail(last_, "comparisons do not chain: write 'a < b and b < c'");
    return node;
  }

  Node sum() {
    Node left = product();
    while (!error_) {
      const std::optional<Op> op = symbol(kSums);
      if (!op) break;
      left = join(*op, left, &Parser::product, false);
    }
    return left;
  }

  Node product() {
    Node left = unary();
    while (!error_ && !hinted()) {
      const std::optional<Op> op = symbol(kProducts);
      if (!op) break;
      left = join(*op, left, &Parser::unary, false);
    }
    return left;
  }

  Node unary() {
    if (++depth_ > kMaxDepth) {
      fail(at_, "nested deeper than " + std::to_string(kMaxDepth) + " levels");
      return nullptr;
    }
    Node node = symbol(std::array<Symbol, 1>{{{"-", Op::negate}}}) ? negated() : primary();
    --depth_;
    return node;
  }

  Node negated() {
    const std::size_t where = last_;
    Node operand = unary();
    if (!error_) require(operand, false);
    return make(Op::negate, where, {operand});
  }

  Node primary() {
    skip_space();
    const std::size_t where = at_;
    if (at_ < text_.size() && is_digit(text_[at_])) return number();
    if (at_ < text_.size() && is_letter(text_[at_])) return name_or_function();
    if (!accept('(')) {
      fail(where, unexpected());
      return nullptr;
    }
    Node inner = relation();
    if (!error_ && !accept(')')) fail(at_, "expected ')' for the '(' at character " + std::to_string(where + 1));
    return inner;
  }

  Node number() {
    const std::size_t where = at_;
    while (at_ < text_.size() && (is_digit(text_[at_]) || is_letter(text_[at_]))) ++at_;
    const std::string_view digits = text_.substr(where, at_ - where);
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code == std::errc::result_out_of_range) fail(where, std::string(digits) + " is larger than 2^63 - 1");
    if (code == std::errc() && end != digits.data() + digits.size()) {
      fail(where, "'" + std::string(digits) + "' is neither a number nor a name");
    }
    auto node = std::make_shared<ExprNode>();
    node->offset = where;
    node->value = value;
    return node;
  }

  Node name_or_function() {
    const std::size_t where = at_;
    const std::string name(take_name());
    if (name == "and" || name == "or") {
      fail(where, "'" + name + "' needs a comparison on its left");
      return nullptr;
    }
    const auto* function = std::find_if(kFunctions.begin(), kFunctions.end(), [&](auto& f) { return f.text == name; });
    if (accept('(')) return call(name, where, function == kFunctions.end() ? nullptr : function);
    if (function != kFunctions.end()) fail(where, "'" + name + "' is a function: write '" + name + "(…)'");
    auto node = std::make_shared<ExprNode>();
    node->op = Op::name;
    node->offset = where;
    node->name = name;
    return node;
  }

  Node call(const std::string& name, std::size_t where, const Symbol* function) {
    if (!function) {
      fail(where, "unknown function '" + name + "': there are min, max and ceildiv");
      return nullptr;
    }
    std::vector<Node> operands;
    do {
      operands.push_back(relation());
      if (!error_) require(operands.back(), false);
    } while (!error_ && accept(','));
    if (!error_ && !accept(')')) fail(at_, "expected ',' or ')' in the arguments of '" + name + "'");
    if (!error_ && function->op == Op::ceildiv && operands.size() != 2) {
      fail(where, "ceildiv takes two arguments, not " + std::to_string(operands.size()));
    }
    return make(function->op, where, std::move(operands));
  }

  Node join(Op op, const Node& left, Node (Parser::*operand)(), bool relations) {
    const std::size_t where = last_;
    require(left, relations);
    Node right = error_ ? nullptr : (this->*operand)();
    if (!error_) require(right, relations);
    return make(op, where, {left, right});
  }

  static Node make(Op op, std::size_t where, std::vector<Node> children) {
    auto node = std::make_shared<ExprNode>();
    node->op = op;
    node->offset = where;
    node->children = std::move(children);
    return node;
  }

  void require(const Node& node, bool relation) {
    if (error_ || is_relation(node->op) == relation) return;
    fail(node->offset, relation ? "a number is no relation: compare it with something"
                                : "a relation is no number: comparisons, 'and' and 'or' can't be used here");
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    last_ = at_++;
    return true;
  }

  template <std::size_t N>
  std::optional<Op> symbol(const std::array<Symbol, N>& symbols) {
    skip_space();
    for (const Symbol& s : symbols) {
      if (!text_.substr(at_).starts_with(s.text)) continue;
      last_ = at_;
      at_ += s.text.size();
      return s.op;
    }
    return std::nullopt;
  }

  std::string_view take_name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return text_.substr(start, at_ - start);
  }

  bool word(std::string_view wanted) {
    skip_space();
    const std::size_t start = at_;
    if (take_name() == wanted) {
      last_ = start;
      return true;
    }
    at_ = start;
    return false;
  }

  // "//" and "**" would otherwise be read as an operator and a missing operand.
  bool hinted() {
    skip_space();
    return text_.substr(at_).starts_with("//") || text_.substr(at_).starts_with("**");
  }

  std::string unexpected() const {
    if (at_ >= text_.size()) return "ends where a number, a name or '(' is expected";
    std::string message = "unexpected '" + std::string(text_.substr(at_, character_length())) + "'";
    for (const Hint& hint : kHints) {
      if (text_.substr(at_).starts_with(hint.text)) return message + ": " + std::string(hint.advice);
    }
    return message;
  }

  // A message must stay valid UTF-8: whole characters only.
  std::size_t character_length() const {
    std::size_t n = 1;
    while (at_ + n < text_.size() && (static_cast<unsigned char>(text_[at_ + n]) & 0xC0U) == 0x80U) ++n;
    return n;
  }

  void fail(std::size_t offset, std::string message) {
    if (!error_) error_ = ExprError{offset, std::move(message)};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t last_ = 0;  // where the symbol or word that was read last begins
  int depth_ = 0;
  std::optional<ExprError> error_;
};

ExprError overflow(const ExprNode& node) {
  return {node.offset, "the result does not fit 64 bits"};
}

Value quotient(const ExprNode& node, std::int64_t a, std::int64_t b) {
  if (b == 0) return ExprError{node.offset, "division by zero"};
  if (b == -1) {
    if (node.op == Op::remainder) return std::int64_t{0};
    std::int64_t negated = 0;
    if (__builtin_sub_overflow(std::int64_t{0}, a, &negated)) return overflow(node);
    return negated;
  }
  if (node.op == Op::remainder) return a % b;
  const bool up = node.op == Op::ceildiv && a % b != 0 && (a < 0) == (b < 0);
  return a / b + (up ? 1 : 0);
}

Value arithmetic(const ExprNode& node, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (node.op) {
    case Op::add:
      if (__builtin_add_overflow(a, b, &result)) return overflow(node);
      return result;
    case Op::subtract:
      if (__builtin_sub_overflow(a, b, &result)) return overflow(node);
      return result;
    case Op::multiply:
      if (__builtin_mul_overflow(a, b, &result)) return overflow(node);
      return result;
    case Op::min:
      return std::min(a, b);
    case Op::max:
      return std::max(a, b);
    default:
      return quotient(node, a, b);
  }
}

bool compare(Op op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Op::equal:
      return a == b;
    case Op::not_equal:
      return a != b;
    case Op::less:
      return a < b;
    case Op::less_equal:
      return a <= b;
    case Op::greater:
      return a > b;
    default:
      return a >= b;
  }
}

Value evaluate(const ExprNode& node, const AxisValues& axes);

Value fold(const ExprNode& node, const AxisValues& axes) {
  Value total = evaluate(*node.children.front(), axes);
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    if (std::holds_alternative<ExprError>(total)) return total;
    const Value next = evaluate(*node.children[i], axes);
    if (std::holds_alternative<ExprError>(next)) return next;
    total = arithmetic(node, std::get<std::int64_t>(total), std::get<std::int64_t>(next));
  }
  return total;
}

Value evaluate(const ExprNode& node, const AxisValues& axes) {
  if (node.op == Op::literal) return node.value;
  if (node.op == Op::name) {
    const auto it = axes.find(node.name);
    if (it == axes.end()) return ExprError{node.offset, "'" + node.name + "' has no value"};
    return it->second;
  }
  if (node.op != Op::negate) return fold(node, axes);
  const Value operand = evaluate(*node.children.front(), axes);
  if (std::holds_alternative<ExprError>(operand)) return operand;
  std::int64_t result = 0;
  if (__builtin_sub_overflow(std::int64_t{0}, std::get<std::int64_t>(operand), &result)) return overflow(node);
  return result;
}

std::variant<bool, ExprError> holds_in(const ExprNode& node, const AxisValues& axes) {
  if (node.op == Op::both || node.op == Op::either) {
    // The right side counts only where the left one doesn't decide: "H == 0 or 64 % H == 0" has a value at H = 0.
    const auto left = holds_in(*node.children[0], axes);
    if (std::holds_alternative<ExprError>(left) || std::get<bool>(left) == (node.op == Op::either)) return left;
    return holds_in(*node.children[1], axes);
  }
  const Value a = evaluate(*node.children[0], axes);
  if (const auto* error = std::get_if<ExprError>(&a)) return *error;
  const Value b = evaluate(*node.children[1], axes);
  if (const auto* error = std::get_if<ExprError>(&b)) return *error;
  return compare(node.op, std::get<std::int64_t>(a), std::get<std::int64_t>(b));
}

void collect(const ExprNode& node, std::vector<std::string>& names) {
  if (node.op == Op::name) names.push_back(node.name);
  for (const Node& child : node.children) collect(*child, names);
}

std::vector<std::string> names_of(const Node& root) {
  std::vector<std::string> names;
  if (root) collect(*root, names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

std::variant<Expression, ExprError> Expression::parse(std::string_view text) {
  auto parsed = Parser(text).parse(false);
  if (auto* error = std::get_if<ExprError>(&parsed)) return std::move(*error);
  Expression expression;
  expression.text_ = std::string(text);
  expression.root_ = std::get<Node>(parsed);
  return expression;
}

Expression Expression::constant(std::int64_t value) {
  Expression expression;
  expression.text_ = std::to_string(value);
  auto node = std::make_shared<ExprNode>();
  node->value = value;
  expression.root_ = node;
  return expression;
}

std::variant<std::int64_t, ExprError> Expression::evaluate(const AxisValues& axes) const {
  if (!root_) return std::int64_t{0};
  return assay::evaluate(*root_, axes);
}

std::vector<std::string> Expression::names() const {
  return names_of(root_);
}

std::variant<Constraint, ExprError> Constraint::parse(std::string_view text) {
  auto parsed = Parser(text).parse(true);
  if (auto* error = std::get_if<ExprError>(&parsed)) return std::move(*error);
  Constraint constraint;
  constraint.text_ = std::string(text);
  constraint.root_ = std::get<Node>(parsed);
  return constraint;
}

std::variant<bool, ExprError> Constraint::holds(const AxisValues& axes) const {
  if (!root_) return true;
  return holds_in(*root_, axes);
}

std::vector<std::string> Constraint::names() const {
  return names_of(root_);
}

}  // namespace assay
