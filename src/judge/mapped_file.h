#pragma once
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstddef>
#include <span>

namespace assay {

/// The bytes of an open file; none where it can't be mapped or is empty.
class MappedFile {
 public:
  explicit MappedFile(int file) {
    struct stat about {};
    if (file < 0 || ::fstat(file, &about) != 0 || about.st_size <= 0) return;
    const auto size = static_cast<std::size_t>(about.st_size);
    void* place = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (place != MAP_FAILED) bytes_ = {static_cast<std::byte*>(place), size};
  }
  ~MappedFile() {
    if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace assay
