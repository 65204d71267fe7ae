#pragma once
#include <map>
#include <vector>

#include "device/cuda/driver.h"
#include "device/station.h"

namespace assay::cuda {

/// The worker's side of a CUDA device: its primary context, which is the one that a subject's runtime library uses too,
/// a large range of device addresses without memory behind them, and streams. Granules that aren't mapped fault.
class CudaStation : public Station {
 public:
  /// Throws Error where the device can't be brought up.
  CudaStation(const Driver& driver, int ordinal);

  std::uintptr_t start() const override { return start_; }
  std::uint64_t bytes() const override { return bytes_; }
  int map(std::uintptr_t address, std::uint64_t bytes, int fd, bool writable) override;
  void enter() override;
  std::uint64_t stream(StreamChoice choice) override;
  int finish(StreamChoice choice, std::uint64_t stream) override;
  int idle() override;
  DeviceSettings settings() const override;

 private:
  void reserve();
  void try_out() const;

  const Driver& driver_;
  Ordinal device_ = 0;
  Context context_ = nullptr;
  DevicePointer start_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t granule_ = 0;
  Stream kept_[2] = {};
  std::map<DevicePointer, std::uint64_t> mapped_;
};

}  // namespace assay::cuda
