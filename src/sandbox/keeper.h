#pragma once
#include <sys/types.h>

#include <cstdint>
#include <variant>

#include "sandbox/fd.h"

namespace assay::sandbox {

struct Running {};
struct Stopped {};
struct Exited {
  int status = 0;
};
struct Killed {
  int signal = 0;
};
using ProcessState = std::variant<Running, Stopped, Exited, Killed>;

/// Stops, continues and buries one child.
class Keeper {
 public:
  explicit Keeper(pid_t child);

  pid_t child() const { return child_; }
  /// Becomes readable when the child ends.
  int fd() const { return pidfd_.get(); }

  /// Stops the child and returns once every thread of it stands still, it turns out to be dead, or it won't stand
  /// still.
  ProcessState stop();
  /// Lets it go on. True: it had already gone on without being told (a timer that sends SIGCONT does that).
  bool resume();
  /// How it is, waiting up to `wait_ms` for an end.
  ProcessState state(int wait_ms);
  /// Ends the child and every other child that was left to this process, and waits for them.
  ProcessState kill();

 private:
  bool dead() const { return state_.index() >= 2; }
  bool woke_by_itself() const;
  void bury_others() const;
  pid_t child_;
  UniqueFd pidfd_;
  ProcessState state_ = Running{};
  bool woke_ = false;  ///< it has gone on without being told since it was last stopped
};

}  // namespace assay::sandbox
