#pragma once
#include <cstdint>
#include <span>

#include "core/call.h"
#include "core/dtype.h"

namespace assay {

/// A tensor's row-major elements without gaps, while edits change them.
struct EditedTensor {
  DType dtype = DType::f32;
  std::span<const std::int64_t> shape;
  std::int64_t elements = 0;  ///< > 0
  std::byte* data = nullptr;

  std::int64_t columns() const { return shape.empty() ? 1 : shape.back(); }
  std::int64_t rows() const { return elements / columns(); }
  std::size_t size() const { return static_cast<std::size_t>(info(dtype).bytes); }
  std::byte* at(std::int64_t index) const { return data + static_cast<std::size_t>(index) * size(); }
};

/// Edits that follow the shape of a tensor: blocks, rows, slices. Arithmetic saturates; moves copy bits.
struct Rearranger {
  EditedTensor tensor;

  void operator()(const ScaleBlocksEdit& edit) const;
  void operator()(const ScaleTailEdit& edit) const;
  void operator()(const ZeroBlocksEdit& edit) const;
  void operator()(const SprinkleEdit& edit) const;
  void operator()(const SortEdit& edit) const;
  void operator()(const TieEdit& edit) const;
  void operator()(const CancelEdit& edit) const;
  void operator()(const DiagonalEdit& edit) const;
  void operator()(const LowRankEdit& edit) const;
  void operator()(const PermuteEdit& edit) const;
  void operator()(const OneRunEdit& edit) const;
  void operator()(const IntegersEdit& edit) const;
  void operator()(const OneHotEdit& edit) const;
  void operator()(const ZeroTailEdit& edit) const;
  void operator()(const FlushEdit&) const;
};

}  // namespace assay
