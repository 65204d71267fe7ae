#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "device/cuda/driver.h"
#include "numerics/philox.h"

namespace assay::cuda {

/// What the judge does on the device by itself: copies through staging memory, and its own kernels where the device
/// takes them. All of it runs on one stream of the judge's own context, and is done when a function returns.
class Workshop {
 public:
  /// Throws Error where the device can't be brought up.
  Workshop(const Driver& driver, int ordinal);
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  const Driver& driver() const { return driver_; }
  Ordinal device() const { return device_; }
  std::uint64_t granule() const { return granule_; }
  /// Empty: the judge's own kernels run; else why not, and everything goes through the host.
  const std::string& no_kernels() const { return no_kernels_; }

  void write(DevicePointer to, std::span<const std::byte> from);
  void read(DevicePointer from, std::span<std::byte> to);
  void fill(DevicePointer at, std::uint64_t bytes, const StreamKey& key);
  std::optional<std::size_t> first_difference(DevicePointer at, std::uint64_t bytes, const StreamKey& key);
  /// Calls `look(offset, piece)` for the bytes at `at`, piece by piece, until it says that it has seen enough.
  using Look = std::function<bool(std::size_t, std::span<const std::byte>)>;
  void inspect(DevicePointer at, std::uint64_t bytes, const Look& look);

 private:
  void load_kernels();
  void run(Function function, std::uint64_t items, void** arguments);
  const Driver& driver_;
  Ordinal device_ = 0;
  Context context_ = nullptr;
  std::uint64_t granule_ = 0;
  Stream stream_ = nullptr;
  std::byte* staging_ = nullptr;
  Module module_ = nullptr;
  Function fill_ = nullptr, compare_ = nullptr;
  std::string no_kernels_;
};

}  // namespace assay::cuda
