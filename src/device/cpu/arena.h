#pragma once
#include <cstdint>
#include <string>

#include "device/station.h"

namespace assay {

/// The worker's side of lent memory: a large range without access at a random place, into which the judge has its
/// memory mapped at addresses of its own choice. What isn't mapped stays without access, so that a step past an edge
/// faults.
class Arena : public Station {
 public:
  /// Reserves up to `wanted` bytes (less where the address space is short, never below 16 GiB). Throws Error.
  explicit Arena(std::uint64_t wanted);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::uintptr_t start() const override { return start_; }
  std::uint64_t bytes() const override { return bytes_; }

  /// Maps `fd`, populated, over [address, address + bytes); -1 takes access away again. 0 or errno; EINVAL if the range
  /// isn't made of whole pages inside the arena.
  int map(std::uintptr_t address, std::uint64_t bytes, int fd, bool writable) override;

 private:
  std::uintptr_t start_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace assay
