#pragma once
#include <filesystem>
#include <span>
#include <string>

#include "core/tensor.h"
#include "numerics/float_formats.h"
#include "numerics/philox.h"

namespace assay {

/// One tensor to draw: row-major bytes without gaps, and all that its values follow from.
struct Draw {
  DType dtype = DType::f32;
  std::span<const std::int64_t> shape;
  std::int64_t elements = 0;
  std::byte* data = nullptr;
  const ConcreteValues& values;
  StreamKey key;
  const std::string& tensor;
  const std::filesystem::path& folder;

  std::int64_t row() const { return shape.empty() ? 1 : shape.back(); }
  void put(std::int64_t index, double value) const {
    store_element(dtype, data + index * info(dtype).bytes, value, Overflow::saturate);
  }
};

/// Draws every element of `draw` as its kind says.
void draw_values(const Draw& draw);

/// Kinds whose elements depend on each other (structured_values.cpp) or on a file (value_files.cpp).
void draw_probabilities(const Draw& draw);
void draw_permutation(const Draw& draw);
void draw_offsets(const Draw& draw);
void draw_spd(const Draw& draw);
void draw_orthogonal(const Draw& draw);
void draw_file(const Draw& draw);

}  // namespace assay
