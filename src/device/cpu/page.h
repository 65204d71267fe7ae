#pragma once
#include <unistd.h>

#include <cstdint>

namespace assay {

/// Bytes of a page of this machine.
inline std::int64_t page_bytes() {
  static const std::int64_t size = ::sysconf(_SC_PAGESIZE);
  return size;
}

}  // namespace assay
