#pragma once
#include <quadmath.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/oracle.h"
#include "numerics/float_formats.h"
#include "numerics/philox.h"

/// Oracles are checked against plain loops in 113-bit arithmetic, written from the operator's definition.
namespace assay::testing_support {

__extension__ typedef __float128 Quad;

/// A row-major tensor that owns its memory.
struct Owned {
  DType dtype;
  std::vector<std::int64_t> shape, strides;
  std::int64_t elements = 1;
  std::vector<std::byte> bytes;

  Owned(DType type, std::vector<std::int64_t> extents) : dtype(type), shape(std::move(extents)), strides(shape.size()) {
    for (std::size_t i = shape.size(); i-- > 0;) {
      strides[i] = elements;
      elements *= shape[i];
    }
    bytes.resize(static_cast<std::size_t>(elements * info(dtype).bytes));
  }
  ConstTensorView view() const { return {dtype, shape, strides, elements, true, bytes.data()}; }
  double at(std::int64_t i) const { return load_element(dtype, bytes.data() + i * info(dtype).bytes); }
  void set(std::int64_t i, double value) { store_element(dtype, bytes.data() + i * info(dtype).bytes, value); }
};

/// Values in (-spread, spread), full mantissas.
inline Owned random_tensor(DType dtype, std::vector<std::int64_t> shape, std::uint64_t key = 1, double spread = 2.0) {
  Owned x(dtype, std::move(shape));
  StreamReader random(derive_key(Seed{}, key, "test"));
  for (std::int64_t i = 0; i < x.elements; ++i) x.set(i, (2 * random.unit() - 1) * spread);
  return x;
}

inline Owned tensor_of(DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& values) {
  Owned x(dtype, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) x.set(static_cast<std::int64_t>(i), values[i]);
  return x;
}

struct Call {
  OracleCall call;
  Call& with(const std::string& name, const Owned& tensor) {
    call.tensors[name] = tensor.view();
    return *this;
  }
  Call& out(const std::string& name, const Owned& tensor) {
    call.tensors[name] = tensor.view();
    call.tensors[name].data = nullptr;
    return *this;
  }
  Call& scalar(const std::string& name, double value) {
    call.scalars[name] = value;
    return *this;
  }
  OracleAnswer ask(std::string_view oracle) const {
    for (const Oracle& each : Registry<Oracle>::all()) {
      if (each.id == oracle) return each.evaluate(call);
    }
    return "no such oracle";
  }
  /// The truth of one output; an answer in words ends the test.
  Truth truth(std::string_view oracle, std::string_view output) const {
    OracleAnswer answer = ask(oracle);
    if (const auto* why = std::get_if<std::string>(&answer)) throw std::runtime_error(*why);
    return std::get<0>(answer).find(output)->second;
  }
  RealTruth real(std::string_view oracle, std::string_view output) const {
    return std::get<RealTruth>(truth(oracle, output));
  }
  std::string refusal(std::string_view oracle) const {
    const OracleAnswer answer = ask(oracle);
    const auto* why = std::get_if<std::string>(&answer);
    return why ? *why : "";
  }
};

/// Distance in units of 2^-53 of the exact value.
inline double ulps(double got, Quad exact) {
  if (exact == 0) return got == 0 ? 0.0 : 1e300;
  return static_cast<double>(fabsq((Quad(got) - exact) / exact) * Quad(0x1p53));
}

}  // namespace assay::testing_support
