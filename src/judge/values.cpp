#include "judge/values.h"

namespace assay {
namespace {

constexpr std::uint64_t kKeptBytes = 512ULL << 20;
/// Each look goes through all of them.
constexpr std::size_t kKeptEntries = 256;

}  // namespace

std::shared_ptr<const Bytes> Values::of(const Buffer& buffer, const TensorPlan& plan) {
  const ConcreteTensor& tensor = *buffer.tensor;
  for (auto it = kept_.begin(); it != kept_.end(); ++it) {
    const bool same = it->tensor == tensor.index && it->plan == plan && it->shape == tensor.shape &&
                      it->extent == tensor.values.extent;
    if (!same) continue;
    kept_.splice(kept_.begin(), kept_, it);
    return kept_.front().bytes;
  }
  kept_.push_front({tensor.index, tensor.shape, tensor.values.extent, plan, make(buffer, plan)});
  kept_bytes_ += kept_.front().bytes->size();
  trim();
  return kept_.front().bytes;
}

std::shared_ptr<const Bytes> Values::make(const Buffer& buffer, const TensorPlan& plan) const {
  const ConcreteTensor& tensor = *buffer.tensor;
  auto bytes = std::make_shared<Bytes>(buffer.bytes);
  // Between strided elements lies what a caller might have there: anything.
  if (!tensor.contiguous) fill_random_bytes(*bytes, derive_key(gaps_, plan.draw, buffer.name));
  generator_.fill(view_of(contract_, tensor, bytes->data()), plan, tensor.values, buffer.name);
  return bytes;
}

void Values::trim() {
  while ((kept_bytes_ > kKeptBytes || kept_.size() > kKeptEntries) && kept_.size() > 1) {
    kept_bytes_ -= kept_.back().bytes->size();
    kept_.pop_back();
  }
}

}  // namespace assay
