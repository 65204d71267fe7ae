#pragma once
#include <string>
#include <vector>

#include "sandbox/root.h"

namespace assay::worker {

/// The folder with the subject of a sandbox without a private root, taken back at the end. Both the launcher and init
/// hold one, so that it goes even if one of them is killed.
class SubjectFolder {
 public:
  SubjectFolder(std::string path, const std::vector<sandbox::NamedFile>& files) : path_(std::move(path)) {
    for (const sandbox::NamedFile& file : files) names_.push_back(file.name);
  }
  ~SubjectFolder() {
    if (!path_.empty()) sandbox::remove_library_folder(path_, names_);
  }
  SubjectFolder(const SubjectFolder&) = delete;
  SubjectFolder& operator=(const SubjectFolder&) = delete;

 private:
  std::string path_;
  std::vector<std::string> names_;
};

}  // namespace assay::worker
