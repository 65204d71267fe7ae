#pragma once
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "sandbox/fd.h"

namespace assay::sandbox {

/// What the kernel says about a process. Sizes in bytes, times in nanoseconds.
struct ProcessFacts {
  std::int64_t threads = 0;
  std::int64_t resident_bytes = 0;
  std::int64_t cpu_ns = 0;
  bool full = false;
  std::int64_t children = 0;
  std::int64_t mappings = 0;
  std::int64_t shared_bytes = 0;             ///< resident of files, shared memory and a driver's pinned memory
  std::int64_t mapped_bytes = 0;             ///< with any access; reservations without access don't count
  std::map<int, std::string> descriptors;    ///< number → what it points to
  std::map<std::string, std::string> state;  ///< "working directory", "affinity", "signal handlers", …
};

/// Reads /proc of another process of the same user in the same PID namespace.
class ProcessReader {
 public:
  explicit ProcessReader(pid_t process);
  /// Threads, memory and processor time; everything with `full`. A process that is gone has zeros.
  ProcessFacts read(bool full) const;

 private:
  void read_cheap(ProcessFacts& facts) const;
  void read_status(ProcessFacts& facts) const;
  void read_maps(ProcessFacts& facts) const;
  void read_descriptors(ProcessFacts& facts) const;
  void read_children(ProcessFacts& facts) const;
  std::string link(const std::string& name) const;
  std::string folder_;
  UniqueFd stat_;
  clockid_t clock_{};
};

}  // namespace assay::sandbox
