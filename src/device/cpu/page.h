#pragma once
#include <unistd.h>

#include <cstdint>

namespace assay {

/// Bytes of a page of this machine.
inline std::int64_t page_bytes() {
  static const std::int64_t size = ::sysconf(_SC_PAGESIZE);
  return size;
}

/// Half of the memory that is free now: the rest is for workers and for the judge's own copies.
inline std::int64_t half_of_free() {
  return static_cast<std::int64_t>(::sysconf(_SC_AVPHYS_PAGES)) * page_bytes() / 2;
}

}  // namespace assay
