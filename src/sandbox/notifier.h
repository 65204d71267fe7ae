#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "sandbox/fd.h"

struct seccomp_notif;
struct seccomp_notif_resp;

namespace assay::sandbox {

/// Answers the calls that a filter refuses through a listener with EPERM, and counts them by name.
class Notifier {
 public:
  /// `listener` may be empty: then nothing is ever counted.
  explicit Notifier(UniqueFd listener);
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;
  ~Notifier();

  /// To wait on; -1: none.
  int fd() const { return listener_.get(); }
  /// Answers what is waiting; returns at once if nothing is.
  void answer();
  /// Adds an attempt of another kind.
  void count(const std::string& name) { ++counts_[name]; }
  /// The counts since the last time, and forgets them.
  std::map<std::string, std::int64_t> take();

 private:
  bool waiting() const;
  UniqueFd listener_;
  seccomp_notif* request_ = nullptr;
  seccomp_notif_resp* response_ = nullptr;
  std::map<std::string, std::int64_t> counts_;
};

}  // namespace assay::sandbox
