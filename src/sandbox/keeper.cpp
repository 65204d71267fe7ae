#include "sandbox/keeper.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "sandbox/system.h"

namespace assay::sandbox {
namespace {

/// A timer of the child's may undo a stop now and then, not each time.
constexpr int kAttempts = 1000;
/// How long news of a stop is awaited before the signal is sent again, and how often it is looked for.
constexpr useconds_t kNewsUs = 2000, kLookUs = 20;

ProcessState ended(const siginfo_t& about) {
  if (about.si_code == CLD_EXITED) return Exited{about.si_status};
  return Killed{about.si_status};
}

/// waitid() that isn't interrupted. False: nothing to report (or no such child).
bool wait_for(pid_t child, int what, siginfo_t& about) {
  about = {};
  int result = 0;
  do {
    result = ::waitid(P_PID, static_cast<id_t>(child), &about, what);
  } while (result < 0 && errno == EINTR);
  return result == 0 && about.si_pid != 0;
}

/// Waits a little for a stop, a continuation or an end. False: a SIGCONT of the child's own, sent before it acted on
/// the SIGSTOP, has removed that signal without a trace.
bool news_of(pid_t child, siginfo_t& about) {
  for (useconds_t waited = 0; waited < kNewsUs; waited += kLookUs) {
    if (wait_for(child, WSTOPPED | WCONTINUED | WEXITED | WNOHANG, about)) return true;
    ::usleep(kLookUs);
  }
  return false;
}

}  // namespace

Keeper::Keeper(pid_t child)
    : child_(child), pidfd_(static_cast<int>(checked(::syscall(SYS_pidfd_open, child, 0), "can't watch the worker"))) {}

ProcessState Keeper::stop() {
  if (dead()) return state_;
  if (std::holds_alternative<Stopped>(state_)) {
    if (!woke_by_itself()) return state_;
    woke_ = true;
  }
  state_ = Running{};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    ::kill(child_, SIGSTOP);
    siginfo_t about{};
    if (!news_of(child_, about) || about.si_code == CLD_CONTINUED) continue;  // something of its own wakes it
    state_ = about.si_code == CLD_STOPPED ? ProcessState(Stopped{}) : ended(about);
    return state_;
  }
  return state_;
}

bool Keeper::resume() {
  if (dead()) return false;
  if (std::holds_alternative<Stopped>(state_) && woke_by_itself()) woke_ = true;
  ::kill(child_, SIGCONT);
  siginfo_t about{};
  wait_for(child_, WCONTINUED | WNOHANG, about);  // consumes the news of this SIGCONT
  state_ = Running{};
  return std::exchange(woke_, false);
}

bool Keeper::woke_by_itself() const {
  siginfo_t about{};
  return wait_for(child_, WCONTINUED | WNOHANG, about);
}

ProcessState Keeper::state(int wait_ms) {
  if (dead()) return state_;
  pollfd item{pidfd_.get(), POLLIN, 0};
  siginfo_t about{};
  if (::poll(&item, 1, wait_ms) > 0 && wait_for(child_, WEXITED | WNOHANG, about)) state_ = ended(about);
  return state_;
}

ProcessState Keeper::kill() {
  if (!dead()) {
    ::kill(child_, SIGKILL);
    siginfo_t about{};
    if (wait_for(child_, WEXITED, about)) state_ = ended(about);
  }
  bury_others();
  return state_;
}

/// Only a sandbox without a filter lets a worker have children. They come to this process when their parent dies.
void Keeper::bury_others() const {
  const std::string children = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
  for (int round = 0; round < 1000; ++round) {
    const std::string text = read_text(children);
    if (text.empty()) return;
    const auto pid = static_cast<pid_t>(std::stol(text));
    ::kill(pid, SIGKILL);
    siginfo_t about{};
    if (!wait_for(pid, WEXITED, about)) return;
  }
}

}  // namespace assay::sandbox
