#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::worker {

/// An object file as bytes, read without trusting any offset or count in it.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  /// Why this machine can't load it as a shared object; empty if nothing speaks against it.
  const std::string& problem() const { return problem_; }
  /// Names of the functions in its dynamic symbol table, sorted; none if the table can't be read.
  std::vector<std::string> exported_functions() const;

 private:
  std::span<const std::byte> bytes_;
  std::string problem_;
};

}  // namespace assay::worker
