#pragma once
#include <memory>

#include "device/cuda/driver.h"
#include "device/memory.h"

namespace assay::cuda {

/// The judge's own stream, staging memory and device code, shared by everything that it lends.
class Workshop;

/// Device memory of cuMemCreate, exported as a descriptor, with the judge's own mapping of it. Access rights are the
/// importer's choice on this device, so that `writable` is a wish: whether inputs changed is looked at, not prevented.
class CudaMemory : public DeviceMemory {
 public:
  /// `bytes` is a multiple of the granule. Throws Error that says how much was asked for and how much is free.
  CudaMemory(std::shared_ptr<Workshop> workshop, std::uint64_t bytes, Lending lending);
  ~CudaMemory() override;

  void write(std::uint64_t offset, std::span<const std::byte> from) override;
  void read(std::uint64_t offset, std::span<std::byte> to) const override;
  void fill(std::uint64_t offset, std::uint64_t bytes, const StreamKey& key) override;
  std::optional<std::size_t> first_difference(std::uint64_t offset, std::uint64_t bytes,
                                              const StreamKey& key) const override;
  std::optional<std::size_t> first_difference(std::uint64_t offset, std::span<const std::byte> expected) const override;

 private:
  void take(Lending lending);
  void release() noexcept;
  std::shared_ptr<Workshop> workshop_;
  Allocation allocation_ = 0;
  DevicePointer address_ = 0;
  bool mapped_ = false;
};

}  // namespace assay::cuda
