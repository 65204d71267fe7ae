#pragma once
#include <cstdint>
#include <map>

#include "core/seed.h"

namespace assay {

inline constexpr std::uint64_t kPage = 4096;

/// A range of addresses in a worker's arena, whole pages.
struct Range {
  std::uintptr_t address = 0;
  std::uint64_t bytes = 0;
};

/// Hands out ranges of a worker's reserved arena with at least one unmapped page (`page` bytes) between them. Freed
/// ranges are handed out again, often: recycled addresses are what we want.
class AddressSpace {
 public:
  AddressSpace(std::uintptr_t arena, std::uint64_t bytes, std::uint64_t key, std::uint64_t page = kPage);

  /// `bytes` is rounded up to whole pages; `alignment` is a power of two. Throws Error when the arena is used up.
  Range allocate(std::uint64_t bytes, std::uint64_t alignment);
  void release(Range range);

 private:
  Range carve(std::uint64_t bytes, std::uint64_t alignment);

  std::uint64_t page_;
  std::uintptr_t next_;
  std::uintptr_t end_;
  Random random_;
  std::multimap<std::uint64_t, Range> free_;  ///< by size
};

}  // namespace assay
