#include <algorithm>
#include <cmath>

#include "contract/names.h"
#include "contract/sections.h"
#include "contract/table.h"
#include "contract/words.h"

namespace assay::contract {
namespace {

void read_integer_low(Reader& reader, const Node& node, ValueSpec& out) {
  std::int64_t value = 0;
  if (reader.read(node, value)) out.low = static_cast<double>(value);
}

void read_integer_high(Reader& reader, const Node& node, ValueSpec& out) {
  std::int64_t value = 0;
  if (reader.read(node, value)) out.high = static_cast<double>(value);
}

/// A number of any class, or a truth value for a bool tensor.
bool read_element(Reader& reader, const Node& node, double& out) {
  if (node.kind != NodeKind::boolean) return reader.read_any(node, out);
  out = node.boolean ? 1.0 : 0.0;
  return true;
}

void read_constant(Reader& reader, const Node& node, ValueSpec& out) {
  read_element(reader, node, out.value);
}

void read_choices(Reader& reader, const Node& node, ValueSpec& out) {
  if (!reader.expect(node, NodeKind::array)) return;
  if (node.items.empty()) reader.fail(node, node.path + " is empty");
  for (const Node& item : node.items) {
    double value = 0.0;
    if (read_element(reader, item, value)) out.choices.push_back(value);
  }
}

using ValueKey = Key<ValueSpec>;
constexpr ValueKey kKind{"kind", known<ValueSpec>};
constexpr ValueKey kStd{"std", number<&ValueSpec::std, Range::not_negative>};
constexpr ValueKey kLow{"low", field<&ValueSpec::low>, Need::required};
constexpr ValueKey kHigh{"high", field<&ValueSpec::high>, Need::required};

constexpr std::array kPlainKeys{kKind};
constexpr std::array kNormalKeys{kKind, ValueKey{"mean", field<&ValueSpec::mean>}, kStd};
constexpr std::array kBoundedKeys{kKind, kLow, kHigh};
constexpr std::array kIntegerKeys{kKind, ValueKey{"low", read_integer_low, Need::required},
                                  ValueKey{"high", read_integer_high, Need::required}};
constexpr std::array kPositiveKeys{kKind, kStd};
constexpr std::array kMaskKeys{kKind, ValueKey{"p", number<&ValueSpec::p, Range::share>}};
constexpr std::array kIndexKeys{kKind, ValueKey{"below", field<&ValueSpec::extent>, Need::required}};
constexpr std::array kPermutationKeys{kKind, ValueKey{"of", field<&ValueSpec::extent>, Need::required}};
constexpr std::array kOffsetsKeys{kKind, ValueKey{"total", field<&ValueSpec::extent>, Need::required}};
constexpr std::array kChoiceKeys{kKind, ValueKey{"of", read_choices, Need::required}};
constexpr std::array kConstantKeys{kKind, ValueKey{"value", read_constant, Need::required}};
constexpr std::array kFileKeys{kKind, ValueKey{"path", field<&ValueSpec::path>, Need::required},
                               ValueKey{"key", field<&ValueSpec::key>}};

enum class Elements : std::uint8_t { any, floating, integer };

/// What holds of a kind of values: its keys, the element types it can fill, the fewest dimensions.
struct KindInfo {
  std::span<const ValueKey> keys;
  Elements elements;
  std::size_t rank;
};

// In the order of ValueKind.
constexpr std::array<KindInfo, 15> kKinds{{{kNormalKeys, Elements::floating, 0},
                                           {kBoundedKeys, Elements::floating, 0},
                                           {kBoundedKeys, Elements::floating, 0},
                                           {kIntegerKeys, Elements::any, 0},
                                           {kPositiveKeys, Elements::floating, 0},
                                           {kPlainKeys, Elements::floating, 1},
                                           {kMaskKeys, Elements::any, 0},
                                           {kIndexKeys, Elements::integer, 0},
                                           {kPermutationKeys, Elements::integer, 1},
                                           {kOffsetsKeys, Elements::integer, 1},
                                           {kPlainKeys, Elements::floating, 2},
                                           {kPlainKeys, Elements::floating, 2},
                                           {kChoiceKeys, Elements::any, 0},
                                           {kConstantKeys, Elements::any, 0},
                                           {kFileKeys, Elements::any, 0}}};

const KindInfo& info_of(ValueKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

bool fills(Elements elements, DType dtype) {
  const NumberClass number = info(dtype).number;
  if (elements == Elements::floating) return number == NumberClass::floating;
  if (elements == Elements::integer) {
    return number == NumberClass::signed_integer || number == NumberClass::unsigned_integer;
  }
  return true;
}

/// Every number that the drawn values are made of; those must fit the element type.
std::vector<double> support(const ValueSpec& spec) {
  if (spec.kind == ValueKind::constant) return {spec.value};
  if (spec.kind == ValueKind::choice) return spec.choices;
  const bool bounded =
      spec.kind == ValueKind::uniform || spec.kind == ValueKind::log_uniform || spec.kind == ValueKind::integers;
  return bounded ? std::vector<double>{spec.low, spec.high} : std::vector<double>{};
}

/// Empty if the kind can fill this tensor.
std::string unsuitable(const Tensor& tensor, const ValueSpec& spec) {
  const KindInfo& kind = info_of(spec.kind);
  const std::string name(kValueKinds[static_cast<std::size_t>(spec.kind)].name);
  if (!fills(kind.elements, tensor.dtype)) {
    return "kind \"" + name + "\" can't fill " + std::string(info(tensor.dtype).name);
  }
  if (tensor.shape.size() < kind.rank) {
    return "kind \"" + name + "\" needs at least " + std::to_string(kind.rank) + " dimensions";
  }
  const std::vector<double> bounds = support(spec);
  for (double value : bounds) {
    const std::string problem = unfit_value(tensor.dtype, value);
    if (!problem.empty()) return problem;
  }
  if (bounds.size() == 2 && spec.kind != ValueKind::choice && spec.low > spec.high) return "low is above high";
  if (spec.kind == ValueKind::log_uniform && spec.low <= 0) return "low must be above 0";
  return {};
}

/// What mutators stay inside where the contract doesn't say ("Tensors"): the support, for `normal` 2^12 deviations.
std::optional<ValueRange> default_range(const ValueSpec& spec, DType dtype) {
  constexpr double kDeviations = 4096.0;
  const ValueRange finite = finite_range(dtype);
  const auto finite_part = [&](double low, double high) {
    return ValueRange{std::max(low, finite.low), std::min(high, finite.high)};
  };
  switch (spec.kind) {
    case ValueKind::normal:
      return finite_part(spec.mean - kDeviations * spec.std, spec.mean + kDeviations * spec.std);
    case ValueKind::positive:
      return finite_part(0.0, kDeviations * spec.std);
    case ValueKind::probabilities:
    case ValueKind::mask:
      return ValueRange{0.0, 1.0};
    default:
      break;
  }
  std::vector<double> bounds = support(spec);
  std::erase_if(bounds, [](double v) { return !std::isfinite(v); });
  if (bounds.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(bounds.begin(), bounds.end());
  return ValueRange{*low, *high};
}

std::optional<ValueSpec> read_spec(Reader& reader, const Node& node) {
  if (!reader.expect(node, NodeKind::table)) return std::nullopt;
  const Node* kind = node.find("kind");
  if (!kind) {
    reader.fail(node, "missing key 'kind' in [" + node.path + "]");
    return std::nullopt;
  }
  const auto value_kind = read_word(reader, *kind, kValueKinds);
  if (!value_kind) return std::nullopt;
  ValueSpec spec;
  spec.kind = *value_kind;
  const std::size_t before = reader.error_count();
  read_table(reader, node, info_of(*value_kind).keys, spec);
  if (reader.error_count() != before) return std::nullopt;
  return spec;
}

}  // namespace

void read_values(Reader& reader, const Node* node, Tensor& tensor, const Node& tensor_node) {
  if (!node && !is_floating(tensor.dtype)) {
    reader.fail(tensor_node, tensor_node.path + ": an " + (tensor.dtype == DType::boolean ? "input" : "integer input") +
                                 " of dtype " + std::string(info(tensor.dtype).name) +
                                 " needs 'values': random integers are not indices");
    return;
  }
  tensor.values = node ? read_spec(reader, *node) : ValueSpec{};
  if (!tensor.values) return;
  const std::string problem = unsuitable(tensor, *tensor.values);
  if (!problem.empty()) reader.fail(node ? *node : tensor_node, tensor_node.path + ".values: " + problem);
  if (!tensor.range) tensor.range = default_range(*tensor.values, tensor.dtype);
}

}  // namespace assay::contract
