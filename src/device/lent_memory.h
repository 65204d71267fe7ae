#pragma once
#include "device/cpu/page.h"
#include "device/memory.h"

namespace assay {

/// Whole pages of memory that the judge owns and a worker maps: a memfd that can be neither grown nor shrunk, with the
/// judge's own writable mapping of it, populated. Of read-only memory nobody can make another writable mapping, however
/// the descriptor was got at (F_SEAL_FUTURE_WRITE); the judge's own mapping, which exists before the seal, stays.
class LentMemory : public DeviceMemory {
 public:
  LentMemory() = default;
  /// `bytes` is rounded up to whole pages, at least one. Throws Error when memory or seals are missing.
  LentMemory(std::int64_t bytes, Lending lending);
  LentMemory(LentMemory&& other) noexcept;
  LentMemory& operator=(LentMemory&& other) noexcept;
  ~LentMemory() override;

  std::byte* data() const { return data_; }  ///< the judge's mapping; null if default-made

  void write(std::uint64_t offset, std::span<const std::byte> from) override;
  void read(std::uint64_t offset, std::span<std::byte> to) const override;
  void fill(std::uint64_t offset, std::uint64_t bytes, const StreamKey& key) override;
  std::optional<std::size_t> first_difference(std::uint64_t offset, std::uint64_t bytes,
                                              const StreamKey& key) const override;
  std::optional<std::size_t> first_difference(std::uint64_t offset, std::span<const std::byte> expected) const override;

 private:
  void release() noexcept;
  std::byte* data_ = nullptr;
};

}  // namespace assay
