#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "sandbox/fd.h"

namespace assay::sandbox {

/// The judge's own hold on a worker in another PID namespace, without waking its init: one wake-up less each way.
/// Signals go through a pidfd; that every thread stands still is read from /proc, which needs no right over the
/// process.
class Leash {
 public:
  /// The grandchild of `launcher` (launcher, init, worker), if /proc shows it. Nothing: use init instead.
  static std::optional<Leash> of_grandchild(pid_t launcher);

  /// True once every thread is stopped; false if the process ended or isn't stopped by the deadline.
  bool stop(std::chrono::steady_clock::time_point deadline);
  /// Lets it go on. True: it had run while it should have stood still.
  bool resume();

  pid_t process() const { return pid_; }
  std::int64_t threads() const { return threads_; }                ///< when it was last stopped
  std::int64_t resident_bytes() const { return resident_bytes_; }  ///< likewise
  std::int64_t cpu_ns() const;                                     ///< of all its threads so far
  /// How long its first thread has been ready to run and had no processor; 0 where the kernel doesn't count that.
  std::int64_t waited_ns() const;

 private:
  Leash(pid_t pid, UniqueFd pidfd, UniqueFd folder, UniqueFd stat, UniqueFd schedule);
  enum class Look : std::uint8_t { moving, still, gone };
  Look look();
  Look look_at_threads() const;
  pid_t pid_;
  UniqueFd pidfd_, folder_, stat_, schedule_;
  clockid_t clock_{};
  std::int64_t threads_ = 1, resident_bytes_ = 0, stopped_cpu_ns_ = 0;
};

}  // namespace assay::sandbox
