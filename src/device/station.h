#pragma once
#include <array>
#include <cstdint>
#include <memory>

#include "device/device.h"

namespace assay {

/// Which stream a call gets.
enum class StreamChoice : std::uint32_t { device_default, first, second, fresh };

/// Settings of the device that outlive a call, as the process itself reads them.
using DeviceSettings = std::array<std::uint64_t, 7>;

/// The worker's side of a device: a range of addresses into which the judge has its memory mapped, streams for calls,
/// and the wait for their work. Results are 0 or the device's own error code.
class Station {
 public:
  virtual ~Station() = default;
  virtual std::uintptr_t start() const = 0;
  virtual std::uint64_t bytes() const = 0;
  /// Maps `fd` over [address, address + bytes); -1 takes it away again. What isn't mapped faults. 0 or an error.
  virtual int map(std::uintptr_t address, std::uint64_t bytes, int fd, bool writable) = 0;
  /// Makes the calling thread one that may call.
  virtual void enter() {}
  /// The handle that a call gets; 0: the device's default. On failure the default, and `finish` will tell.
  virtual std::uint64_t stream(StreamChoice /*choice*/) { return 0; }
  /// Waits for the work of a call: of its stream alone, or, where it got none, of the whole device.
  virtual int finish(StreamChoice /*choice*/, std::uint64_t /*stream*/) { return 0; }
  /// Waits for whatever still runs anywhere in this process's part of the device.
  virtual int idle() { return 0; }
  virtual DeviceSettings settings() const { return {}; }
};

/// Brings the device up for this process. Throws Error.
std::unique_ptr<Station> open_station(DeviceKind kind, int ordinal, const std::string& driver);

}  // namespace assay
