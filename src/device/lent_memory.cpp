#include "device/lent_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/error.h"
#include "numerics/poison.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace assay {
namespace {

std::string lack(const char* step, std::int64_t bytes) {
  return std::string("can't lend ") + std::to_string(bytes) + " bytes to a worker (" + step +
         "): " + std::strerror(errno);
}

}  // namespace

LentMemory::LentMemory(std::int64_t bytes, Lending lending) {
  writable_ = lending == Lending::writable;
  const std::int64_t page = page_bytes();
  if (bytes < 0 || bytes > INT64_MAX - page) throw Error("can't lend " + std::to_string(bytes) + " bytes to a worker");
  bytes_ = std::max(page, (bytes + page - 1) / page * page);
  fd_ = ::memfd_create("memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd_ < 0) throw Error(lack("memfd_create", bytes_));
  // A constructor that throws runs no destructor: hand the descriptor back by hand.
  const auto fail = [this](const char* step) {
    const std::string message = lack(step, bytes_);
    release();
    throw Error(message);
  };
  if (::ftruncate(fd_, bytes_) != 0) fail("ftruncate");
  const auto size = static_cast<std::size_t>(bytes_);
  void* place = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_, 0);
  if (place == MAP_FAILED) fail("mmap");
  data_ = static_cast<std::byte*>(place);
  const int seals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL | (writable_ ? 0 : F_SEAL_FUTURE_WRITE);
  if (::fcntl(fd_, F_ADD_SEALS, seals) != 0) fail("seals");
}

LentMemory::LentMemory(LentMemory&& other) noexcept : DeviceMemory() {
  *this = std::move(other);
}

LentMemory& LentMemory::operator=(LentMemory&& other) noexcept {
  if (this == &other) return *this;
  release();
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  fd_ = std::exchange(other.fd_, -1);
  writable_ = other.writable_;
  return *this;
}

LentMemory::~LentMemory() {
  release();
}

void LentMemory::release() noexcept {
  if (data_) ::munmap(data_, static_cast<std::size_t>(bytes_));
  if (fd_ >= 0) ::close(fd_);
  data_ = nullptr;
  fd_ = -1;
}

void LentMemory::write(std::uint64_t offset, std::span<const std::byte> from) {
  if (!from.empty()) std::memcpy(data_ + offset, from.data(), from.size());
}

void LentMemory::read(std::uint64_t offset, std::span<std::byte> to) const {
  if (!to.empty()) std::memcpy(to.data(), data_ + offset, to.size());
}

void LentMemory::fill(std::uint64_t offset, std::uint64_t bytes, const StreamKey& key) {
  fill_random_bytes({data_ + offset, static_cast<std::size_t>(bytes)}, key);
}

std::optional<std::size_t> LentMemory::first_difference(std::uint64_t offset, std::uint64_t bytes,
                                                        const StreamKey& key) const {
  return assay::first_difference({data_ + offset, static_cast<std::size_t>(bytes)}, key);
}

std::optional<std::size_t> LentMemory::first_difference(std::uint64_t offset,
                                                        std::span<const std::byte> expected) const {
  return assay::first_difference(data_ + offset, expected.data(), expected.size());
}

}  // namespace assay
