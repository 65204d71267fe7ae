#include "sandbox/launch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "core/error.h"
#include "sandbox/system.h"

namespace assay::sandbox {
namespace {

constexpr int kImageFd = 5;

void must(int error, const char* what) {
  if (error != 0) throw Error(std::string("can't start a worker (") + what + "): " + std::strerror(error));
}

/// File actions of posix_spawn. The descriptors are first lifted above the numbers that they go to, lest one of those
/// is the source of a later copy.
class Actions {
 public:
  Actions() { must(::posix_spawn_file_actions_init(&actions_), "file actions"); }
  ~Actions() { ::posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  void put(int source, int target) {
    lifted_.emplace_back(static_cast<int>(checked(::fcntl(source, F_DUPFD_CLOEXEC, 64), "can't copy a descriptor")));
    must(::posix_spawn_file_actions_adddup2(&actions_, lifted_.back().get(), target), "dup2");
  }
  void null(int target, int mode) {
    must(::posix_spawn_file_actions_addopen(&actions_, target, "/dev/null", mode, 0), "/dev/null");
  }
  void close_from(int first) { must(::posix_spawn_file_actions_addclosefrom_np(&actions_, first), "close"); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
  std::vector<UniqueFd> lifted_;
};

/// No blocked or ignored signal of the judge's is inherited, nor its terminal.
class Attributes {
 public:
  Attributes() {
    must(::posix_spawnattr_init(&attributes_), "attributes");
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    must(::posix_spawnattr_setsigmask(&attributes_, &none), "signal mask");
    must(::posix_spawnattr_setsigdefault(&attributes_, &all), "signal handlers");
    must(::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID),
         "flags");
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

Launched launch(int image, int control, int calls, std::int64_t threads, Surroundings surroundings) {
  Actions actions;
  for (int stream = 0; stream < 3; ++stream) actions.null(stream, stream == 0 ? O_RDONLY : O_WRONLY);
  actions.put(control, kControlFd);
  actions.put(calls, kCallsFd);
  actions.put(image, kImageFd);
  actions.close_from(kImageFd + 1);
  const Attributes attributes;
  std::vector<std::string> argument_texts{row_of(surroundings).name};
  std::vector<std::string> environment_texts = environment_of(surroundings, threads);
  const std::string path = "/proc/self/fd/" + std::to_string(kImageFd);
  Launched launched;
  must(::posix_spawn(&launched.pid, path.c_str(), actions.get(), attributes.get(), pointers(argument_texts).data(),
                     pointers(environment_texts).data()),
       "exec");
  launched.pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, launched.pid, 0)));
  if (!launched.pidfd) {
    const int error = errno;
    ::kill(launched.pid, SIGKILL);
    ::waitpid(launched.pid, nullptr, 0);
    must(error, "pidfd_open");
  }
  return launched;
}

void reap(Launched& launched, int wait_ms) {
  if (launched.pid <= 0) return;
  pollfd item{launched.pidfd.get(), POLLIN, 0};
  if (::poll(&item, 1, wait_ms) <= 0) ::kill(launched.pid, SIGKILL);
  while (::waitpid(launched.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  launched = {};
}

}  // namespace assay::sandbox
