#include "device/cuda/memory.h"

#include <unistd.h>

#include <cstring>
#include <string>

#include "core/error.h"
#include "device/cuda/workshop.h"
#include "numerics/poison.h"

namespace assay::cuda {
namespace {

/// The driver's own text, and for a lack of memory how much there is.
[[noreturn]] void fail(const Driver& driver, Result result, std::uint64_t bytes, const char* step) {
  std::string message =
      "can't lend " + std::to_string(bytes) + " bytes of device memory (" + step + "): " + driver.text(result);
  std::size_t free = 0;
  std::size_t total = 0;
  if (result == kNoMemory && driver.memory_info(&free, &total) == 0) {
    message += "; " + std::to_string(free >> 20) + " of " + std::to_string(total >> 20) + " MiB are free";
  }
  throw Error(message);
}

}  // namespace

CudaMemory::CudaMemory(std::shared_ptr<Workshop> workshop, std::uint64_t bytes, Lending lending)
    : workshop_(std::move(workshop)) {
  bytes_ = static_cast<std::int64_t>(bytes);
  try {
    take(lending);
  } catch (...) {
    release();
    throw;
  }
}

void CudaMemory::take(Lending lending) {
  const Driver& driver = workshop_->driver();
  const auto bytes = static_cast<std::size_t>(bytes_);
  AllocationProperties properties;
  properties.location.id = workshop_->device();
  Access access;
  access.location.id = workshop_->device();
  writable_ = lending == Lending::writable;
  const auto must = [&](Result result, const char* step) {
    if (result != 0) fail(driver, result, bytes, step);
  };
  must(driver.create(&allocation_, bytes, &properties, 0), "cuMemCreate");
  must(driver.export_handle(&fd_, allocation_, kDescriptor, 0), "cuMemExportToShareableHandle");
  must(driver.reserve(&address_, bytes, 0, 0, 0), "cuMemAddressReserve");
  must(driver.map(address_, bytes, 0, allocation_, 0), "cuMemMap");
  mapped_ = true;
  must(driver.set_access(address_, bytes, &access, 1), "cuMemSetAccess");
}

CudaMemory::~CudaMemory() {
  release();
}

void CudaMemory::release() noexcept {
  const Driver& driver = workshop_->driver();
  if (mapped_) driver.unmap(address_, static_cast<std::size_t>(bytes_));
  if (address_ != 0) driver.free_range(address_, static_cast<std::size_t>(bytes_));
  if (fd_ >= 0) ::close(fd_);
  if (allocation_ != 0) driver.release(allocation_);
}

void CudaMemory::write(std::uint64_t offset, std::span<const std::byte> from) {
  workshop_->write(address_ + offset, from);
}

void CudaMemory::read(std::uint64_t offset, std::span<std::byte> to) const {
  workshop_->read(address_ + offset, to);
}

void CudaMemory::fill(std::uint64_t offset, std::uint64_t bytes, const StreamKey& key) {
  workshop_->fill(address_ + offset, bytes, key);
}

std::optional<std::size_t> CudaMemory::first_difference(std::uint64_t offset, std::uint64_t bytes,
                                                        const StreamKey& key) const {
  return workshop_->first_difference(address_ + offset, bytes, key);
}

std::optional<std::size_t> CudaMemory::first_difference(std::uint64_t offset,
                                                        std::span<const std::byte> expected) const {
  std::optional<std::size_t> found;
  workshop_->inspect(address_ + offset, expected.size(), [&](std::size_t at, std::span<const std::byte> piece) {
    const auto here = assay::first_difference(piece.data(), expected.data() + at, piece.size());
    if (here) found = at + *here;
    return found.has_value();
  });
  return found;
}

}  // namespace assay::cuda
