#pragma once
#include <cstddef>
#include <span>
#include <variant>

#include "core/contract.h"

namespace assay {

/// `values` of a tensor with its expressions evaluated for one shape.
struct ConcreteValues {
  ValueSpec spec;
  std::int64_t extent = 0;  ///< of index.below, permutation.of, offsets.total
};

/// One tensor of a contract at one shape.
struct ConcreteTensor {
  std::size_t index = 0;  ///< into Contract::tensors
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< elements, always filled
  std::int64_t elements = 0;          ///< product of the shape
  std::int64_t span = 0;              ///< elements from the first to one past the last that strides reach
  std::int64_t bytes = 0;             ///< span * element size
  bool contiguous = true;             ///< row-major without gaps
  ConcreteValues values;
};

/// All of a call that follows from its axes.
struct ConcreteShape {
  AxisValues axes;
  std::vector<ConcreteTensor> tensors;  ///< in the order of Contract::tensors
  std::int64_t workspace_bytes = 0;
  std::int64_t total_bytes() const;
};

/// Evaluates every expression of the contract at `axes`. The string says why there is no such shape (overflow, negative
/// size, an axis that breaks its domain or a constraint), naming the tensor or axis.
std::variant<ConcreteShape, std::string> concretise(const Contract& contract, const AxisValues& axes);

/// Why `axes` lie outside the contract's domain; empty if they lie inside.
std::string outside_domain(const Contract& contract, const AxisValues& axes);

/// Memory seen as a tensor. Does not own; `data` may be null where there are no elements.
struct ConstTensorView {
  DType dtype = DType::f32;
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> strides;
  std::int64_t elements = 0;
  bool contiguous = true;
  const std::byte* data = nullptr;
};

struct TensorView {
  DType dtype = DType::f32;
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> strides;
  std::int64_t elements = 0;
  bool contiguous = true;
  std::byte* data = nullptr;

  operator ConstTensorView() const { return {dtype, shape, strides, elements, contiguous, data}; }
};

TensorView view_of(const Contract& contract, const ConcreteTensor& tensor, std::byte* data);
ConstTensorView view_of(const Contract& contract, const ConcreteTensor& tensor, const std::byte* data);

/// Offset in elements of the element with row-major index `linear` (0 … elements-1).
std::int64_t element_offset(const ConstTensorView& view, std::int64_t linear);

/// "[3, 17]" for the element with that row-major index: how findings name an element.
std::string index_text(std::span<const std::int64_t> shape, std::int64_t linear);

}  // namespace assay
