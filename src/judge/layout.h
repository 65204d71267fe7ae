#pragma once
#include <cstdint>

#include "judge/address_space.h"

namespace assay {

/// How a tensor lies in its mapping: against the unmapped page before it or the one after it, and whether its address
/// is aligned to exactly the promised bytes and no more.
struct Flush {
  bool at_end = true;
  bool odd = false;
};

/// Where a tensor of `bytes` lies in a mapping of whole pages: units of `page` bytes, in which the device maps.
struct Layout {
  std::uint64_t pages_bytes = 0;  ///< size of the mapping, whole pages, at least one
  std::uint64_t offset = 0;       ///< of the tensor's first byte, a multiple of the alignment
};

/// `align` is a power of two. What is left of the mapping on both sides becomes red zone: less than a page plus 2 *
/// align.
Layout lay_out(std::uint64_t bytes, std::uint64_t align, Flush flush, std::uint64_t page = kPage);
/// The tensor `shift` times the alignment from the start of its mapping.
Layout lay_out_shifted(std::uint64_t bytes, std::uint64_t align, int shift, std::uint64_t page = kPage);

}  // namespace assay
