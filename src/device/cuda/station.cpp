#include "device/cuda/station.h"

#include <sys/random.h>

#include <cerrno>

#include "core/error.h"

namespace assay::cuda {
namespace {

constexpr std::uint64_t kWanted = std::uint64_t{1} << 40;
constexpr std::uint64_t kLeast = std::uint64_t{1} << 36;
constexpr std::uint64_t kStep = std::uint64_t{1} << 30;

/// A hint for where the range may lie: addresses should not be the same in every process.
DevicePointer random_place() {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) return 0;
  constexpr std::uint64_t kLow = std::uint64_t{1} << 41;
  constexpr std::uint64_t kHigh = std::uint64_t{1} << 45;
  return (kLow + bits % (kHigh - kLow)) / kStep * kStep;
}

}  // namespace

CudaStation::CudaStation(const Driver& driver, int ordinal) : driver_(driver) {
  driver_.must(driver_.init(0), "CUDA doesn't start in the sandbox (cuInit)");
  driver_.must(driver_.device(&device_, ordinal), "no CUDA device " + std::to_string(ordinal) + " in the sandbox");
  driver_.must(driver_.retain(&context_, device_), "no context on the CUDA device");
  enter();
  granule_ = driver_.granule(device_);
  reserve();
  for (Stream& stream : kept_) driver_.must(driver_.stream_create(&stream, kNonBlocking), "no stream");
  try_out();
}

void CudaStation::enter() {
  driver_.set_current(context_);
}

void CudaStation::reserve() {
  Result last = 0;
  for (bytes_ = kWanted; bytes_ >= kLeast; bytes_ /= 2) {
    last = driver_.reserve(&start_, bytes_, kStep, random_place(), 0);
    if (last != 0) last = driver_.reserve(&start_, bytes_, 0, 0, 0);
    if (last == 0) return;
  }
  driver_.must(last, "no address space on the CUDA device");
}

/// Memory of this process's own, written by the device and read back: what doesn't work shows before a subject is here.
void CudaStation::try_out() const {
  AllocationProperties properties;
  properties.location.id = device_;
  Access access;
  access.location.id = device_;
  Allocation allocation = 0;
  unsigned char back = 0;
  driver_.must(driver_.create(&allocation, granule_, &properties, 0), "no device memory");
  driver_.must(driver_.map(start_, granule_, 0, allocation, 0), "device memory can't be mapped");
  driver_.must(driver_.set_access(start_, granule_, &access, 1), "device memory can't be opened");
  driver_.must(driver_.set_bytes(start_, 0xA5, granule_, kept_[0]), "the device doesn't write");
  driver_.must(driver_.copy_out(&back, start_ + granule_ - 1, 1, kept_[0]), "the device doesn't copy");
  driver_.must(driver_.stream_synchronize(kept_[0]), "the device doesn't work");
  driver_.must(driver_.unmap(start_, granule_), "device memory can't be unmapped");
  driver_.must(driver_.release(allocation), "device memory can't be given back");
  if (back != 0xA5) throw Error("the CUDA device gives back other bytes than it was given");
}

int CudaStation::map(std::uintptr_t address, std::uint64_t bytes, int fd, bool /*writable*/) {
  const bool whole = address % granule_ == 0 && bytes % granule_ == 0 && bytes > 0;
  if (!whole || address < start_ || bytes > bytes_ || address - start_ > bytes_ - bytes) return EINVAL;
  const auto there = mapped_.find(address);
  if (there != mapped_.end()) {
    if (const Result result = driver_.unmap(address, there->second)) return result;
    mapped_.erase(there);
  }
  if (fd < 0) return 0;
  Allocation allocation = 0;
  Access access;
  access.location.id = device_;
  if (const Result result =
          driver_.import_handle(&allocation, reinterpret_cast<void*>(static_cast<std::intptr_t>(fd)), kDescriptor)) {
    return result;
  }
  Result result = driver_.map(address, bytes, 0, allocation, 0);
  driver_.release(allocation);  // the mapping keeps it
  if (result != 0) return result;
  mapped_[address] = bytes;
  return driver_.set_access(address, bytes, &access, 1);
}

std::uint64_t CudaStation::stream(StreamChoice choice) {
  Stream stream = nullptr;
  switch (choice) {
    case StreamChoice::device_default:
      break;
    case StreamChoice::first:
    case StreamChoice::second:
      stream = kept_[choice == StreamChoice::second ? 1 : 0];
      break;
    case StreamChoice::fresh:
      if (driver_.stream_create(&stream, kNonBlocking) != 0) stream = nullptr;
      break;
  }
  return reinterpret_cast<std::uint64_t>(stream);
}

int CudaStation::finish(StreamChoice choice, std::uint64_t handle) {
  if (choice == StreamChoice::device_default) return idle();
  const auto stream = reinterpret_cast<Stream>(handle);
  const Result result = driver_.stream_synchronize(stream);
  if (choice == StreamChoice::fresh && stream && result == 0) return driver_.stream_destroy(stream);
  return result;
}

int CudaStation::idle() {
  return driver_.synchronize();
}

DeviceSettings CudaStation::settings() const {
  DeviceSettings settings{};
  static_assert(std::size(kLimits) + 1 == std::tuple_size_v<DeviceSettings>);
  for (std::size_t i = 0; i < std::size(kLimits); ++i) {
    std::size_t value = 0;
    if (driver_.limit(&value, kLimits[i]) == 0) settings[i] = value;
  }
  for (const Stream stream : kept_) {
    AccessWindow window;
    if (driver_.stream_attribute(stream, kAccessWindow, &window) == 0) settings.back() += window.bytes;
  }
  return settings;
}

}  // namespace assay::cuda
