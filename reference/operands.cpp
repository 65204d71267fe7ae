#include "reference/operands.h"

#include <algorithm>
#include <limits>

#include "numerics/float_formats.h"
#include "numerics/generator.h"

namespace assay {
namespace {

/// Calls f(index, bits, codec) for every element in row-major order.
template <class F>
void each_element(const ConstTensorView& view, F&& f) {
  std::vector<std::byte> packed;
  const std::byte* data = view.data;
  if (!view.contiguous) {
    packed.resize(static_cast<std::size_t>(view.elements) * static_cast<std::size_t>(info(view.dtype).bytes));
    gather(view, packed.data());
    data = packed.data();
  }
  visit_dtype(view.dtype, [&](auto codec) {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(typename decltype(codec)::Bits));
    for (std::int64_t i = 0; i < view.elements; ++i)
      f(static_cast<std::size_t>(i), load_bits(data + i * kSize, codec), codec);
  });
}

}  // namespace

const ConstTensorView& Operands::view(std::string_view name) const {
  const auto it = call_.tensors.find(name);
  if (it == call_.tensors.end()) throw Misfit{"the argument " + std::string(name) + " is not bound to a tensor"};
  return it->second;
}

double Operands::scalar(std::string_view name, double preset) const {
  const auto it = call_.scalars.find(name);
  return it == call_.scalars.end() ? preset : it->second;
}

std::int64_t Operands::whole(std::string_view name, double preset) const {
  const double value = scalar(name, preset);
  if (!(std::fabs(value) < 0x1p53) || value != std::floor(value))
    throw Misfit{std::string(name) + " is no whole number"};
  return static_cast<std::int64_t>(value);
}

std::vector<double> Operands::doubles(std::string_view name) const {
  const ConstTensorView& from = view(name);
  if (from.elements > 0 && from.data == nullptr) throw Misfit{"the argument " + std::string(name) + " has no contents"};
  std::vector<double> values(static_cast<std::size_t>(from.elements));
  each_element(from, [&](std::size_t i, auto bits, auto codec) { values[i] = codec.decode(bits); });
  return values;
}

std::vector<std::int64_t> Operands::integers(std::string_view name) const {
  const ConstTensorView& from = view(name);
  if (is_floating(from.dtype)) throw Misfit{"the argument " + std::string(name) + " must hold integers"};
  if (from.elements > 0 && from.data == nullptr) throw Misfit{"the argument " + std::string(name) + " has no contents"};
  std::vector<std::int64_t> values(static_cast<std::size_t>(from.elements));
  bool too_large = false;
  each_element(from, [&](std::size_t i, auto bits, auto codec) {
    using Bits = decltype(bits);
    constexpr bool kSigned = info(decltype(codec)::kDType).number == NumberClass::signed_integer;
    if constexpr (kSigned) {
      values[i] = static_cast<std::make_signed_t<Bits>>(bits);
    } else {
      too_large = too_large || bits > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      values[i] = static_cast<std::int64_t>(bits);
    }
  });
  if (too_large) throw Misfit{"the argument " + std::string(name) + " holds integers above 2^63 - 1"};
  return values;
}

std::vector<long double> Operands::exact(std::string_view name) const {
  const ConstTensorView& from = view(name);
  if (from.elements > 0 && from.data == nullptr) throw Misfit{"the argument " + std::string(name) + " has no contents"};
  std::vector<long double> values(static_cast<std::size_t>(from.elements));
  each_element(from, [&](std::size_t i, auto bits, auto codec) {
    constexpr NumberClass kClass = info(decltype(codec)::kDType).number;
    if constexpr (kClass == NumberClass::floating) {
      values[i] = codec.decode(bits);
    } else if constexpr (kClass == NumberClass::signed_integer) {
      values[i] = static_cast<std::make_signed_t<decltype(bits)>>(bits);
    } else {
      values[i] = bits;
    }
  });
  return values;
}

std::vector<std::uint64_t> Operands::bits(std::string_view name) const {
  const ConstTensorView& from = view(name);
  if (from.elements > 0 && from.data == nullptr) throw Misfit{"the argument " + std::string(name) + " has no contents"};
  std::vector<std::uint64_t> values(static_cast<std::size_t>(from.elements));
  each_element(from, [&](std::size_t i, auto bits, auto codec) {
    values[i] = std::isnan(codec.decode(bits)) ? ~std::uint64_t{0} : static_cast<std::uint64_t>(bits);
  });
  return values;
}

std::string Operands::option(std::string_view name, std::string_view preset) const {
  const auto it = call_.options.find(name);
  return it == call_.options.end() ? std::string(preset) : it->second;
}

void Operands::same_shape(std::string_view a, std::string_view b) const {
  const ConstTensorView &left = view(a), &right = view(b);
  if (std::equal(left.shape.begin(), left.shape.end(), right.shape.begin(), right.shape.end())) return;
  throw Misfit{std::string(a) + " is " + shape_text(left.shape) + " but " + std::string(b) + " is " +
               shape_text(right.shape)};
}

void Operands::rank(std::string_view name, std::size_t least) const {
  if (view(name).shape.size() >= least) return;
  throw Misfit{std::string(name) + " is " + shape_text(view(name).shape) + " but needs " + std::to_string(least) +
               (least == 1 ? " axis" : " axes")};
}

bool needs_twice(const Operands& operands, std::initializer_list<std::string_view> inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](std::string_view name) { return operands.view(name).dtype == DType::f64; });
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  text += "]";
  return text;
}

RealTruth blank_truth(std::int64_t size, double n) {
  const auto count = static_cast<std::size_t>(size);
  return {std::vector<double>(count, 0.0), std::vector<double>(count, 0.0), std::max(n, 1.0)};
}

ExactTruth integer_truth(const ConstTensorView& out, std::span<const Int128> values, std::string_view name) {
  ExactTruth truth;
  truth.bytes.resize(values.size() * static_cast<std::size_t>(info(out.dtype).bytes));
  visit_dtype(out.dtype, [&](auto codec) {
    using Bits = typename decltype(codec)::Bits;
    constexpr NumberClass kClass = info(decltype(codec)::kDType).number;
    if (kClass == NumberClass::floating)
      throw Misfit{std::string(name) + " holds floats, but its operands are integers"};
    constexpr bool kSigned = kClass == NumberClass::signed_integer;
    const Int128 high =
        kClass == NumberClass::boolean ? 1 : static_cast<Int128>(static_cast<Bits>(~Bits{0})) >> (kSigned ? 1 : 0);
    const Int128 low = kSigned ? -high - 1 : 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] < low || values[i] > high) {
        throw Misfit{"outside the domain: element " + std::to_string(i) + " of " + std::string(name) + " doesn't fit " +
                     std::string(info(out.dtype).name)};
      }
      store_bits(truth.bytes.data() + i * sizeof(Bits), static_cast<Bits>(values[i]), codec);
    }
  });
  return truth;
}

Cost touch_once(const OracleCall& call, double flops) {
  Cost cost{0.0, flops};
  for (const auto& [name, view] : call.tensors)
    cost.bytes += static_cast<double>(view.elements) * info(view.dtype).bytes;
  return cost;
}

double elements_of(const OracleCall& call, std::string_view name) {
  const auto it = call.tensors.find(name);
  return it == call.tensors.end() ? 0.0 : static_cast<double>(it->second.elements);
}

Rows rows_of(const ConstTensorView& view) {
  const std::int64_t size = view.shape.empty() ? 1 : view.shape.back();
  return {size == 0 ? 0 : view.elements / size, size};
}

}  // namespace assay
