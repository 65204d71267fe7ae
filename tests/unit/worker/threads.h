#pragma once
#include <pthread.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace assay::worker::testing {

/// Names of this process's threads in /proc.
inline std::vector<std::string> threads() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    found.push_back(entry.path().filename());
  }
  return found;
}

/// As long as it lives no thread can be made: stacks of new ones would be larger than the address space.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    ::pthread_getattr_default_np(&before_);
    ::pthread_getattr_default_np(&huge_);
    ::pthread_attr_setstacksize(&huge_, std::size_t{1} << 48);
    ::pthread_setattr_default_np(&huge_);
  }
  ~NoMoreThreads() {
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
    ::pthread_attr_destroy(&huge_);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;

 private:
  pthread_attr_t before_{}, huge_{};
};

}  // namespace assay::worker::testing
