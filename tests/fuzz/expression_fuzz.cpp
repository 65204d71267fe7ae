#include <cstdint>
#include <cstdlib>
#include <limits>

#include "core/expression.h"

namespace {

const assay::AxisValues kAxes{{"A", std::numeric_limits<std::int64_t>::min()},
                              {"B", std::numeric_limits<std::int64_t>::max()},
                              {"T", 0},
                              {"H", -1}};

void check(const assay::ExprError& error, std::size_t size) {
  if (error.offset > size || error.message.empty()) std::abort();
}

}  // namespace

// Any text is an expression or has an error inside it; a value or a reason comes out, never undefined arithmetic.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto expression = assay::Expression::parse(text);
  if (const auto* error = std::get_if<assay::ExprError>(&expression)) {
    check(*error, size);
  } else {
    const auto value = std::get<assay::Expression>(expression).evaluate(kAxes);
    if (const auto* error = std::get_if<assay::ExprError>(&value)) check(*error, size);
  }
  const auto constraint = assay::Constraint::parse(text);
  if (const auto* error = std::get_if<assay::ExprError>(&constraint)) {
    check(*error, size);
  } else {
    const auto holds = std::get<assay::Constraint>(constraint).holds(kAxes);
    if (const auto* error = std::get_if<assay::ExprError>(&holds)) check(*error, size);
  }
  const bool both =
      std::holds_alternative<assay::Expression>(expression) && std::holds_alternative<assay::Constraint>(constraint);
  if (both) std::abort();
  return 0;
}
