#pragma once
#include <cstddef>
#include <cstdint>

namespace assay {

/// May the borrower write?
enum class Lending : std::uint8_t { read_only, writable };

/// Whole pages of memory that the judge owns and a worker maps: a memfd that can be neither grown nor shrunk, with the
/// judge's own writable mapping of it, populated. Of read-only memory nobody can make another writable mapping, however
/// the descriptor was got at (F_SEAL_FUTURE_WRITE); the judge's own mapping, which exists before the seal, stays.
class LentMemory {
 public:
  LentMemory() = default;
  /// `bytes` is rounded up to whole pages, at least one. Throws Error when memory or seals are missing.
  LentMemory(std::int64_t bytes, Lending lending);
  LentMemory(LentMemory&& other) noexcept;
  LentMemory& operator=(LentMemory&& other) noexcept;
  LentMemory(const LentMemory&) = delete;
  LentMemory& operator=(const LentMemory&) = delete;
  ~LentMemory();

  std::byte* data() const { return data_; }      ///< the judge's mapping; null if default-made
  std::int64_t bytes() const { return bytes_; }  ///< whole pages
  int fd() const { return fd_; }                 ///< owned by this object
  bool writable() const { return writable_; }    ///< by the borrower

 private:
  void release() noexcept;
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
  int fd_ = -1;
  bool writable_ = false;
};

/// Bytes of a page of this machine.
std::int64_t page_bytes();

}  // namespace assay
