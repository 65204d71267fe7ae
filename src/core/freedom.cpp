#include "core/freedom.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace assay {
namespace {

/// `positive` values are drawn no smaller than this share of their deviation.
constexpr double kLeastPositive = 0x1p-20;
/// Without a range of its own a normal tensor may hold this many deviations (CONTRACT.md, "Tensors").
constexpr double kDeviations = 4096.0;

struct FloatRoom {
  double smallest;
  int reach;
};

/// In the order of DType's floating types.
constexpr std::array<FloatRoom, 6> kRoom{
    {{0x1p-1074, 30}, {0x1p-149, 30}, {0x1p-24, 6}, {0x1p-133, 30}, {0x1p-9, 2}, {0x1p-16, 6}}};

bool is_among(ValueKind kind, std::initializer_list<ValueKind> any) {
  return std::find(any.begin(), any.end(), kind) != any.end();
}

/// Whether the range is the one that the contract left out: a narrower one is a promise.
bool has_default_range(const Tensor& tensor) {
  const ValueSpec& spec = *tensor.values;
  return tensor.range && tensor.range->high >= spec.mean + kDeviations * spec.std * 0.999 &&
         tensor.range->low <= spec.mean - kDeviations * spec.std * 0.999;
}

void set_numbers(Freedom& freedom, const Tensor& tensor) {
  const ValueSpec& spec = *tensor.values;
  freedom.low = tensor.range->low;
  freedom.high = tensor.range->high;
  switch (spec.kind) {
    case ValueKind::normal:
      freedom.centre = spec.mean;
      freedom.spread = spec.std;
      break;
    case ValueKind::positive:
      freedom.low = std::max(freedom.low, kLeastPositive * spec.std);
      freedom.centre = freedom.spread = spec.std;
      break;
    default:
      freedom.centre = 0.5 * (spec.low + spec.high);
      freedom.spread = 0.5 * (spec.high - spec.low);
  }
}

}  // namespace

Freedom freedom_of(const Contract& contract, const Tensor& tensor) {
  Freedom freedom;
  if (!holds_input(tensor.role) || tensor.is_static || !tensor.values) return freedom;
  freedom.changes = true;
  const bool floating = is_floating(tensor.dtype);
  const ValueKind kind = tensor.values->kind;
  freedom.change_in_place = floating ? Lifetime::fixed_address : Lifetime::serving;
  freedom.exchangeable =
      is_among(kind, {ValueKind::normal, ValueKind::uniform, ValueKind::log_uniform, ValueKind::integers,
                      ValueKind::positive, ValueKind::mask, ValueKind::index, ValueKind::choice}) ||
      (kind == ValueKind::permutation && tensor.shape.size() == 1);
  freedom.continuous =
      floating && tensor.range && tensor.range->low < tensor.range->high &&
      is_among(kind, {ValueKind::normal, ValueKind::uniform, ValueKind::log_uniform, ValueKind::positive});
  if (!freedom.continuous) return freedom;
  set_numbers(freedom, tensor);
  freedom.zero = freedom.low <= 0.0 && freedom.high >= 0.0;
  freedom.both_signs = freedom.low < 0.0 && freedom.high > 0.0;
  freedom.not_finite = kind == ValueKind::normal && has_default_range(tensor) &&
                       contract.numerics.special_values == SpecialValues::propagate;
  freedom.negative_zero = freedom.both_signs;
  const FloatRoom& room = kRoom.at(static_cast<std::size_t>(tensor.dtype));
  const bool denormals = freedom.zero && freedom.high > 0.0 && contract.numerics.denormals == Denormals::keep;
  freedom.denormal = denormals ? room.smallest : 0.0;
  freedom.reach = room.reach;
  return freedom;
}

std::optional<double> one_value(const Freedom& freedom, const ConcreteTensor& tensor, std::uint64_t pick) {
  const ValueSpec& spec = tensor.values.spec;
  if (!freedom.changes) return std::nullopt;
  switch (spec.kind) {
    case ValueKind::normal:
      return std::clamp(spec.mean + (pick % 2 == 0 ? 3.0 : -3.0) * spec.std, freedom.low, freedom.high);
    case ValueKind::positive:
      return std::clamp(3.0 * spec.std, freedom.low, freedom.high);
    case ValueKind::uniform:
    case ValueKind::log_uniform:
    case ValueKind::integers:
      return pick % 2 == 0 ? spec.high : spec.low;
    case ValueKind::mask:
      return static_cast<double>(pick % 2);
    case ValueKind::index:
      return static_cast<double>(pick % static_cast<std::uint64_t>(std::max<std::int64_t>(tensor.values.extent, 1)));
    case ValueKind::choice:
      return spec.choices.at(pick % spec.choices.size());
    case ValueKind::probabilities:
    case ValueKind::permutation:
    case ValueKind::offsets:
    case ValueKind::spd:
    case ValueKind::orthogonal:
    case ValueKind::constant:
    case ValueKind::file:
      return std::nullopt;
  }
  return std::nullopt;
}

double place_of(const ConcreteTensor& tensor, std::int64_t row, std::int64_t column) {
  const double index = static_cast<double>(row * columns_of(tensor) + column);
  return (index + 0.5) / static_cast<double>(std::max<std::int64_t>(tensor.elements, 1));
}

std::int64_t columns_of(const ConcreteTensor& tensor) {
  return tensor.shape.empty() ? 1 : tensor.shape.back();
}

std::int64_t rows_of(const ConcreteTensor& tensor) {
  const std::int64_t columns = columns_of(tensor);
  return columns > 0 ? tensor.elements / columns : 0;
}

}  // namespace assay
