#include "core/arguments.h"

#include <array>
#include <limits>
#include <optional>

namespace assay {
namespace {

struct CTypeInfo {
  std::string_view name;
  bool integer;
  std::int64_t low, high;  // of what an int64 can hold
};

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// In the order of CType.
constexpr std::array<CTypeInfo, 12> kCTypes{{{"i8", true, -128, 127},
                                             {"i16", true, -32768, 32767},
                                             {"i32", true, -2147483648LL, 2147483647LL},
                                             {"i64", true, std::numeric_limits<std::int64_t>::min(), kMax},
                                             {"u8", true, 0, 255},
                                             {"u16", true, 0, 65535},
                                             {"u32", true, 0, 4294967295LL},
                                             {"u64", true, 0, kMax},
                                             {"f32", false, 0, 0},
                                             {"f64", false, 0, 0},
                                             {"bool", false, 0, 0},
                                             {"ptr", false, 0, 0}}};

const CTypeInfo& info_of(CType type) {
  return kCTypes[static_cast<std::size_t>(type)];
}

/// The size that an argument carries; nothing if it carries none, or none that can be computed (concretise says why).
std::optional<std::int64_t> size_of(const Contract& contract, const Argument& argument, const AxisValues& axes) {
  if (argument.kind == ArgKind::axis) {
    const auto it = axes.find(argument.name);
    return it == axes.end() ? std::nullopt : std::optional(it->second);
  }
  if (argument.kind != ArgKind::workspace_bytes) return std::nullopt;
  const auto bytes = contract.memory.workspace.evaluate(axes);
  const auto* value = std::get_if<std::int64_t>(&bytes);
  return value ? std::optional(*value) : std::nullopt;
}

}  // namespace

std::string_view name_of(CType type) {
  return info_of(type).name;
}

bool is_integer(CType type) {
  return info_of(type).integer;
}

bool integer_fits(CType type, std::int64_t value) {
  return is_integer(type) && value >= info_of(type).low && value <= info_of(type).high;
}

std::string unfit_argument(const Contract& contract, const Entry& entry, const AxisValues& axes) {
  for (const Argument& argument : entry.args) {
    const std::optional<std::int64_t> size = size_of(contract, argument, axes);
    if (!size || integer_fits(argument.type, *size)) continue;
    const std::string what = argument.kind == ArgKind::axis ? "axis " + argument.name : "workspace_bytes";
    return what + " = " + std::to_string(*size) + " does not fit " + std::string(name_of(argument.type));
  }
  return {};
}

}  // namespace assay
