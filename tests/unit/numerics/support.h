#pragma once
#include <cstring>
#include <numeric>
#include <vector>

#include "core/tensor.h"
#include "numerics/float_formats.h"
#include "numerics/generator.h"

namespace assay::testing_support {

/// A tensor that owns its memory; row-major unless strides are given.
struct Owned {
  DType dtype;
  std::vector<std::int64_t> shape, strides;
  std::int64_t elements = 1;
  bool contiguous = true;
  std::vector<std::byte> bytes;

  Owned(DType type, std::vector<std::int64_t> extents, std::vector<std::int64_t> steps = {})
      : dtype(type), shape(std::move(extents)), strides(std::move(steps)), contiguous(strides.empty()) {
    std::int64_t step = 1, span = 1;
    std::vector<std::int64_t> packed(shape.size());
    for (std::size_t i = shape.size(); i-- > 0;) {
      packed[i] = step;
      step *= shape[i];
    }
    elements = step;
    if (contiguous) strides = packed;
    for (std::size_t i = 0; i < shape.size(); ++i) span += (shape[i] - 1) * strides[i];
    bytes.resize(elements == 0 ? 0 : static_cast<std::size_t>(span * info(dtype).bytes), std::byte{0x5a});
  }
  TensorView view() { return {dtype, shape, strides, elements, contiguous, bytes.data()}; }
  ConstTensorView view() const { return {dtype, shape, strides, elements, contiguous, bytes.data()}; }
  std::byte* place(std::int64_t i) { return bytes.data() + element_offset(view(), i) * info(dtype).bytes; }
  double at(std::int64_t i) const {
    return load_element(dtype, bytes.data() + element_offset(view(), i) * info(dtype).bytes);
  }
  void set(std::int64_t i, double value) { store_element(dtype, place(i), value); }
  std::vector<double> all() const {
    std::vector<double> values;
    for (std::int64_t i = 0; i < elements; ++i) values.push_back(at(i));
    return values;
  }
};

inline ConcreteValues kind(ValueKind k, std::int64_t extent = 0) {
  ConcreteValues values;
  values.spec.kind = k;
  values.extent = extent;
  return values;
}

inline Seed seed(std::uint8_t first = 1) {
  Seed s;
  for (std::size_t i = 0; i < s.bytes.size(); ++i) s.bytes[i] = static_cast<std::uint8_t>(first + 7 * i);
  return s;
}

inline void fill(Owned& tensor, const ConcreteValues& values, const TensorPlan& plan = {}) {
  Generator(seed()).fill(tensor.view(), plan, values, "x");
}

}  // namespace assay::testing_support
