#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "numerics/philox.h"

namespace assay {

/// May the borrower write?
enum class Lending : std::uint8_t { read_only, writable };

/// Memory of a device that the judge owns and a worker maps: whole granules of the device, shared by a descriptor.
/// Offsets and sizes are in bytes and must lie inside; everything is done when a function returns.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  virtual ~DeviceMemory() = default;

  std::int64_t bytes() const { return bytes_; }
  int fd() const { return fd_; }               ///< owned by this object
  bool writable() const { return writable_; }  ///< by the borrower, as far as the device can tell apart

  virtual void write(std::uint64_t offset, std::span<const std::byte> from) = 0;
  virtual void read(std::uint64_t offset, std::span<std::byte> to) const = 0;
  /// The bare stream of `key` (numerics/poison.h), from its first byte on.
  virtual void fill(std::uint64_t offset, std::uint64_t bytes, const StreamKey& key) = 0;
  /// First byte that isn't the stream's, from `offset`.
  virtual std::optional<std::size_t> first_difference(std::uint64_t offset, std::uint64_t bytes,
                                                      const StreamKey& key) const = 0;
  /// First byte that isn't the expected one, from `offset`.
  virtual std::optional<std::size_t> first_difference(std::uint64_t offset,
                                                      std::span<const std::byte> expected) const = 0;

 protected:
  std::int64_t bytes_ = 0;
  int fd_ = -1;
  bool writable_ = false;
};

}  // namespace assay
