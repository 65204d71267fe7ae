#include "numerics/generator.h"

#include <cstring>
#include <utility>
#include <vector>

#include "numerics/edits.h"
#include "numerics/value_kinds.h"

/// Theory of operation. A tensor is drawn into row-major bytes without gaps, edited there, and scattered to its strides
/// where it has any. The stream is keyed by (seed, draw, tensor name); element i reads words at places that depend on i
/// alone, so nothing depends on how many values were drawn before. value_kinds.cpp has a row for each kind.
namespace assay {
namespace {

/// Calls f(row-major index, offset in elements) for runs along the last axis: f(index, offset, length, stride).
template <class F>
void each_run(const ConstTensorView& view, F&& f) {
  const std::int64_t length = view.shape.empty() ? 1 : view.shape.back();
  const std::int64_t stride = view.shape.empty() ? 1 : view.strides.back();
  for (std::int64_t at = 0; at < view.elements; at += length) f(at, element_offset(view, at), length, stride);
}

}  // namespace

void gather(const ConstTensorView& from, std::byte* to) {
  const std::size_t size = static_cast<std::size_t>(info(from.dtype).bytes);
  if (from.elements == 0) return;
  if (from.contiguous) {
    std::memcpy(to, from.data, static_cast<std::size_t>(from.elements) * size);
    return;
  }
  each_run(from, [&](std::int64_t index, std::int64_t offset, std::int64_t length, std::int64_t stride) {
    for (std::int64_t i = 0; i < length; ++i) {
      std::memcpy(to + static_cast<std::size_t>(index + i) * size,
                  from.data + static_cast<std::size_t>(offset + i * stride) * size, size);
    }
  });
}

void scatter(const std::byte* from, const TensorView& to) {
  const std::size_t size = static_cast<std::size_t>(info(to.dtype).bytes);
  if (to.elements == 0) return;
  if (to.contiguous) {
    std::memcpy(to.data, from, static_cast<std::size_t>(to.elements) * size);
    return;
  }
  each_run(to, [&](std::int64_t index, std::int64_t offset, std::int64_t length, std::int64_t stride) {
    for (std::int64_t i = 0; i < length; ++i) {
      std::memcpy(to.data + static_cast<std::size_t>(offset + i * stride) * size,
                  from + static_cast<std::size_t>(index + i) * size, size);
    }
  });
}

Generator::Generator(const Seed& seed, std::filesystem::path folder) : seed_(seed), folder_(std::move(folder)) {}

void Generator::fill(const TensorView& out, const TensorPlan& plan, const ConcreteValues& values,
                     const std::string& tensor_name) const {
  if (out.elements == 0) return;
  std::vector<std::byte> packed;
  if (!out.contiguous)
    packed.resize(static_cast<std::size_t>(out.elements) * static_cast<std::size_t>(info(out.dtype).bytes));
  std::byte* data = out.contiguous ? out.data : packed.data();
  const StreamKey key = derive_key(seed_, plan.draw, tensor_name);
  draw_values({out.dtype, out.shape, out.elements, data, values, key, tensor_name, folder_});
  apply_edits({out.dtype, out.shape, out.elements, data}, key, plan.edits);
  if (!out.contiguous) scatter(data, out);
}

}  // namespace assay
