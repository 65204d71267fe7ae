#pragma once
#include <string>
#include <vector>

#include "sandbox/root.h"

namespace assay::worker {

/// The folder with the subject of a sandbox without a private root, taken back at the end. Both the launcher and init
/// hold one, so that it goes even if one of them is killed.
class LibraryFolder {
 public:
  LibraryFolder(std::string path, const std::vector<sandbox::NamedFile>& files) : path_(std::move(path)) {
    for (const sandbox::NamedFile& file : files) names_.push_back(file.name);
  }
  ~LibraryFolder() {
    if (!path_.empty()) sandbox::remove_library_folder(path_, names_);
  }
  LibraryFolder(const LibraryFolder&) = delete;
  LibraryFolder& operator=(const LibraryFolder&) = delete;

 private:
  std::string path_;
  std::vector<std::string> names_;
};

}  // namespace assay::worker
