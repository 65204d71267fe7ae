#include "judge/address_space.h"

#include <algorithm>

#include "core/error.h"

namespace assay {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

AddressSpace::AddressSpace(std::uintptr_t arena, std::uint64_t bytes, std::uint64_t key, std::uint64_t page)
    : page_(page), next_(arena + page), end_(arena + bytes - page), random_(key) {}

Range AddressSpace::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  bytes = std::max(round_up(bytes, page_), page_);
  alignment = std::max(alignment, page_);
  const auto it = free_.lower_bound(bytes);
  const bool fits = it != free_.end() && it->first == bytes && it->second.address % alignment == 0;
  if (!fits) return carve(bytes, alignment);
  const Range range = it->second;
  free_.erase(it);
  return range;
}

Range AddressSpace::carve(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t gap = page_ * (1 + random_.below(16));
  const std::uintptr_t start = round_up(next_ + gap, alignment);
  if (start + bytes + page_ > end_) throw Error("the worker's address range is used up by lent tensors");
  next_ = start + bytes;
  return {start, bytes};
}

void AddressSpace::release(Range range) {
  free_.emplace(range.bytes, range);
}

}  // namespace assay
