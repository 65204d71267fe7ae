#include "core/expression.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <optional>

namespace assay {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

const AxisValues kAxes{{"A", 7}, {"B", -3}, {"C", 0}, {"M", kMax}, {"N", kMin}};

std::string value_of(std::string_view text) {
  const auto parsed = Expression::parse(text);
  if (const auto* error = std::get_if<ExprError>(&parsed)) {
    return std::to_string(error->offset) + ": " + error->message;
  }
  const auto value = std::get<Expression>(parsed).evaluate(kAxes);
  if (const auto* error = std::get_if<ExprError>(&value)) {
    return std::to_string(error->offset) + ": " + error->message;
  }
  return std::to_string(std::get<std::int64_t>(value));
}

std::string truth_of(std::string_view text) {
  const auto parsed = Constraint::parse(text);
  if (const auto* error = std::get_if<ExprError>(&parsed)) {
    return std::to_string(error->offset) + ": " + error->message;
  }
  const auto value = std::get<Constraint>(parsed).holds(kAxes);
  if (const auto* error = std::get_if<ExprError>(&value)) {
    return std::to_string(error->offset) + ": " + error->message;
  }
  return std::get<bool>(value) ? "true" : "false";
}

struct Case {
  std::string_view text, expected;
};

TEST(Expression, Values) {
  constexpr Case kCases[] = {{"42", "42"},
                             {" A + 2 * 3 ", "13"},
                             {"(A + 2) * 3", "27"},
                             {"20 - 5 - 3", "12"},
                             {"100 / 5 / 2", "10"},
                             {"-7 / 2", "-3"},
                             {"-7 % 3", "-1"},
                             {"ceildiv(7, 2)", "4"},
                             {"ceildiv(-7, 2)", "-3"},
                             {"ceildiv(-7, -2)", "4"},
                             {"ceildiv(8, 2)", "4"},
                             {"min(A, 3, 9)", "3"},
                             {"max(1)", "1"},
                             {"- -A", "7"},
                             {"A-1", "6"},
                             {"min(A,max(B,C))", "0"},
                             {"M", "9223372036854775807"},
                             {"N % -1", "0"}};
  for (const Case& c : kCases) EXPECT_EQ(value_of(c.text), c.expected) << c.text;
}

TEST(Expression, Errors) {
  constexpr Case kCases[] = {
      {"", "0: ends where a number, a name or '(' is expected"},
      {"A +", "3: ends where a number, a name or '(' is expected"},
      {"A B", "2: unexpected 'B'"},
      {"(A", "2: expected ')' for the '(' at character 1"},
      {"A)", "1: unexpected ')'"},
      {"1.5", "1: unexpected '.': only integers are allowed"},
      {"A // 2", "2: unexpected '/': write '/', which truncates"},
      {"A ** 2", "2: unexpected '*': there is no power"},
      {"A[0]", "1: unexpected '[': only round parentheses are allowed"},
      {"2x", "0: '2x' is neither a number nor a name"},
      {"9223372036854775808", "0: 9223372036854775808 is larger than 2^63 - 1"},
      {"A == 2", "2: a relation is no number: comparisons, 'and' and 'or' can't be used here"},
      {"1 + (A < 2)", "7: a relation is no number: comparisons, 'and' and 'or' can't be used here"},
      {"pow(A, 2)", "0: unknown function 'pow': there are min, max and ceildiv"},
      {"min", "0: 'min' is a function: write 'min(…)'"},
      {"min()", "4: unexpected ')'"},
      {"min(A", "5: expected ',' or ')' in the arguments of 'min'"},
      {"ceildiv(A)", "0: ceildiv takes two arguments, not 1"},
      {"A + é", "4: unexpected 'é'"},
      {"A / C", "2: division by zero"},
      {"A % C", "2: division by zero"},
      {"ceildiv(A, C)", "0: division by zero"},
      {"M + 1", "2: the result does not fit 64 bits"},
      {"N - 1", "2: the result does not fit 64 bits"},
      {"M * 2", "2: the result does not fit 64 bits"},
      {"N / -1", "2: the result does not fit 64 bits"},
      {"-N", "0: the result does not fit 64 bits"},
      {"A + Z", "4: 'Z' has no value"}};
  for (const Case& c : kCases) EXPECT_EQ(value_of(c.text), c.expected) << c.text;
}

TEST(Expression, DefaultIsZeroAndConstantsPrintThemselves) {
  EXPECT_EQ(std::get<std::int64_t>(Expression().evaluate({})), 0);
  EXPECT_EQ(Expression().text(), "0");
  EXPECT_EQ(std::get<std::int64_t>(Expression::constant(-5).evaluate({})), -5);
  EXPECT_EQ(Expression::constant(-5).text(), "-5");
}

TEST(Expression, NamesAreSortedAndUnique) {
  const auto parsed = Expression::parse("B * A + min(B, ceildiv(Z9, 2))");
  EXPECT_EQ(std::get<Expression>(parsed).names(), (std::vector<std::string>{"A", "B", "Z9"}));
}

TEST(Expression, HostileTextsAreRefusedNotFollowed) {
  EXPECT_EQ(value_of(std::string(2000, '1')), "0: longer than 1024 characters");
  EXPECT_EQ(value_of(std::string(1000, '(')), "64: nested deeper than 64 levels");
  EXPECT_EQ(value_of(std::string(1000, '-') + "1"), "64: nested deeper than 64 levels");
  std::string chain = "1";
  while (chain.size() < 1000) chain += "+1";
  EXPECT_EQ(value_of(chain), "501");
}

TEST(Constraint, Truth) {
  constexpr Case kCases[] = {{"A == 7", "true"},
                             {"A != 7", "false"},
                             {"A % 4 == 3", "true"},
                             {"A < 7 or A >= 7", "true"},
                             {"A < 7 and A >= 7", "false"},
                             {"A <= 7 and (B > 0 or C == 0)", "true"},
                             {"(A + 1) == 8", "true"},
                             {"((A + 1) == 8)", "true"},
                             {"1 == 1 or 1 == 1 and 1 == 2", "true"},
                             {"(1 == 1 or 1 == 1) and 1 == 2", "false"},
                             {"C == 0 or 64 % C == 0", "true"},
                             {"C != 0 and 64 % C == 0", "false"}};
  for (const Case& c : kCases) EXPECT_EQ(truth_of(c.text), c.expected) << c.text;
}

TEST(Constraint, Errors) {
  constexpr Case kCases[] = {{"A", "0: a number is no relation: compare it with something"},
                             {"A == 1 and B", "11: a number is no relation: compare it with something"},
                             {"1 < A < 9", "6: comparisons do not chain: write 'a < b and b < c'"},
                             {"A = 1", "2: unexpected '=': write '=='"},
                             {"A == 1 && B == 2", "7: unexpected '&': write 'and'"},
                             {"A == 1 || B == 2", "7: unexpected '|': write 'or'"},
                             {"!A", "0: unexpected '!': there is no 'not'"},
                             {"and A", "0: 'and' needs a comparison on its left"},
                             {"64 % C == 0", "3: division by zero"},
                             {"A == 7 and 64 % C == 0", "14: division by zero"}};
  for (const Case& c : kCases) EXPECT_EQ(truth_of(c.text), c.expected) << c.text;
}

// An evaluator of its own: values of 128 bits are computed while the text is drawn; nothing where 64 bits don't
// suffice.
__extension__ typedef __int128 Int128;
using Wide = std::optional<Int128>;

struct Drawn {
  std::string text;
  Wide value;
};

Wide narrow(Int128 value) {
  return value >= kMin && value <= kMax ? Wide(value) : std::nullopt;
}

Wide combine(char op, Int128 a, Int128 b) {
  if ((op == '/' || op == '%' || op == 'c') && b == 0) return std::nullopt;
  switch (op) {
    case '+':
      return narrow(a + b);
    case '-':
      return narrow(a - b);
    case '*':
      return narrow(a * b);  // two 64-bit factors fit 128 bits
    case '/':
      return narrow(a / b);
    case '%':
      return narrow(a % b);
    case '<':
      return std::min(a, b);
    case '>':
      return std::max(a, b);
    default: {
      Int128 quotient = a / b;
      while (quotient * b != a && ((b > 0) == (quotient * b < a))) ++quotient;
      return narrow(quotient);
    }
  }
}

Drawn draw(int depth) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 10 : 2);
  if (kind == 0) {
    const auto number = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 20), rc::gen::inRange<std::int64_t>(0, kMax));
    return {std::to_string(number), number};
  }
  if (kind == 1) {
    const auto axis =
        *rc::gen::elementOf(std::vector<std::pair<const std::string, std::int64_t>>(kAxes.begin(), kAxes.end()));
    return {axis.first, axis.second};
  }
  const Drawn a = draw(depth - 1);
  if (kind == 2) return {"-(" + a.text + ")", a.value ? narrow(-*a.value) : std::nullopt};
  const Drawn b = draw(depth - 1);
  const char op = *rc::gen::element('+', '-', '*', '/', '%', '<', '>', 'c');
  const Wide value = a.value && b.value ? combine(op, *a.value, *b.value) : std::nullopt;
  const std::string pair = "(" + a.text + ", " + b.text + ")";
  if (op == '<') return {"min" + pair, value};
  if (op == '>') return {"max" + pair, value};
  if (op == 'c') return {"ceildiv" + pair, value};
  return {"(" + a.text + ") " + op + " (" + b.text + ")", value};
}

void check(const Drawn& drawn) {
  if (drawn.text.size() > 1024) return;
  const auto parsed = Expression::parse(drawn.text);
  RC_ASSERT(std::holds_alternative<Expression>(parsed));
  const auto value = std::get<Expression>(parsed).evaluate(kAxes);
  RC_ASSERT(std::holds_alternative<std::int64_t>(value) == drawn.value.has_value());
  if (drawn.value) RC_ASSERT(std::get<std::int64_t>(value) == static_cast<std::int64_t>(*drawn.value));
}

RC_GTEST_PROP(Expression, AgreesWithWideArithmetic, ()) {
  for (int i = 0; i < 50; ++i) check(draw(4));
}

}  // namespace
}  // namespace assay
