#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "sandbox/fd.h"

struct seccomp_notif;
struct seccomp_notif_resp;

namespace assay::sandbox {

/// Answers the calls that a filter refuses through a listener with EPERM, and counts them by name. Calls that open
/// files it lets go on, and counts the paths that no kernel needs: whoever changes a path between this look and the
/// kernel's has fooled a note, not a boundary.
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
  void refuse();
  void look_at_open(unsigned path, unsigned flags);
  void count_open(const std::string& name);
  UniqueFd listener_;
  seccomp_notif* request_ = nullptr;
  seccomp_notif_resp* response_ = nullptr;
  std::map<std::string, std::int64_t> counts_;
  int paths_ = 0;  ///< told apart so far: a subject that tries many must not crowd out the rest
};

}  // namespace assay::sandbox
