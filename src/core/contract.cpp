#include "core/contract.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

template <class T>
const T* find_by_name(const std::vector<T>& all, std::string_view name) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const T& each) { return each.name == name; });
  return it == all.end() ? nullptr : &*it;
}

template <class Enum, std::size_t N>
std::string_view pick(const std::array<std::string_view, N>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

}  // namespace

const Tensor* Contract::find_tensor(std::string_view tensor) const {
  return find_by_name(tensors, tensor);
}
const Axis* Contract::find_axis(std::string_view axis) const {
  return find_by_name(axes, axis);
}
const Param* Contract::find_param(std::string_view param) const {
  return find_by_name(params, param);
}

int significand_bits(Precision precision) {
  constexpr std::array<int, 9> kBits{53, 24, 11, 11, 8, 4, 3, 0, 0};
  return kBits[static_cast<std::size_t>(precision)];
}

std::string_view name_of(Role role) {
  return pick(std::array<std::string_view, 4>{"in", "out", "inout", "scratch"}, role);
}

std::string_view name_of(Lifetime lifetime) {
  return pick(std::array<std::string_view, 3>{"fixed-address", "reused-buffers", "serving"}, lifetime);
}

std::string_view name_of(Precision precision) {
  return pick(std::array<std::string_view, 9>{"float64", "float32", "tf32", "float16", "bfloat16", "float8_e4m3fn",
                                              "float8_e5m2", "exact", "bits"},
              precision);
}

}  // namespace assay
