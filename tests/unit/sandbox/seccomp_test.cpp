#include "sandbox/seccomp.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <set>
#include <thread>

#include "child.h"
#include "sandbox/landlock.h"
#include "sandbox/notifier.h"
#include "sandbox/seccomp_table.h"

namespace assay::sandbox {
namespace {

void no_new_privs() {
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

TEST(Seccomp, TableNamesEachCallOnce) {
  std::set<int> numbers;
  for (const DeniedCall& call : kDeniedCalls) {
    if (call.number >= 0) {
      EXPECT_TRUE(numbers.insert(call.number).second) << call.name;
    }
    for (const DeniedUse& use : kDeniedUses) EXPECT_EQ(numbers.count(use.number), 0U) << use.name;
  }
}

/// Every refused call, with arguments that mean nothing: none may get through. What a filter lets pass fails otherwise
/// (EINVAL, EFAULT, ENOTTY), so that EPERM or ENOSYS shows the filter's hand; the process has no rights to lose.
TEST(Seccomp, RefusesItsWholeTable) {
  EXPECT_EQ(in_child([] {
              no_new_privs();
              apply_seccomp(false);
              int index = 1;
              for (const DeniedCall& call : kDeniedCalls) {
                const int wanted = call.refusal == Refusal::absent ? ENOSYS : EPERM;
                if (call.number >= 0 && (::syscall(call.number, -1, -1, -1, -1, -1, -1) != -1 || errno != wanted))
                  return index;
                ++index;
              }
              return 0;
            }),
            0);
}

TEST(Seccomp, RefusesForkButNotThreads) {
  EXPECT_EQ(in_child([] {
              no_new_privs();
              apply_seccomp(false);
              int ran = 0;
              std::thread([&] { ran = 1; }).join();
              if (ran != 1) return 1;
              return ::fork() == -1 && errno == EPERM ? 0 : 2;
            }),
            0);
}

TEST(Seccomp, CoversThreadsThatAlreadyRun) {
  EXPECT_EQ(in_child([] {
              std::atomic<int> stage{0};
              std::atomic<int> error{0};
              std::thread early([&] {
                while (stage == 0) std::this_thread::yield();
                if (::syscall(SYS_fork) == -1) error = errno;
              });
              no_new_privs();
              apply_seccomp(false);
              stage = 1;
              early.join();
              return error == EPERM ? 0 : 1;
            }),
            0);
}

TEST(Seccomp, ComparesWhatTheKernelReads) {
  EXPECT_EQ(in_child([] {
              no_new_privs();
              apply_seccomp(false);
              const unsigned long dirty = 1UL << 32;
              if (::syscall(SYS_prctl, dirty | PR_SET_DUMPABLE, 0, 0, 0, 0) != -1 || errno != EPERM) return 1;
              if (::syscall(SYS_socket, dirty | AF_VSOCK, SOCK_STREAM, 0) != -1 || errno != EPERM) return 2;
              if (::syscall(SYS_fcntl, 0, dirty | F_SETLK, 0) != -1 || errno != EPERM) return 3;
              if (::kill(::getpid(), 0) != 0) return 4;
              if (::kill(1, 0) != -1 || errno != EPERM) return 5;
              return 0;
            }),
            0);
}

TEST(Seccomp, KillsForeignCalls) {
  EXPECT_EQ(in_child([] {
              no_new_privs();
              apply_seccomp(false);
              ::syscall(0x40000000L + 39);
              return 0;
            }),
            256 + SIGSYS);
}

/// Puts the filter in force, tells the number of the listener, and tries three calls.
[[noreturn]] void be_counted(int out) {
  no_new_privs();
  const UniqueFd listener = apply_seccomp(true);
  const int number = listener.get();
  if (::write(out, &number, sizeof number) != sizeof number) ::_exit(1);
  const bool refused = ::syscall(SYS_fork) == -1 && errno == EPERM;
  ::syscall(SYS_bpf, 0, 0, 0);
  ::syscall(SYS_bpf, 0, 0, 0);
  ::_exit(refused ? 0 : 2);
}

/// Runs `child_body` with the filter in force; gives its exit status and what was counted. `listening`: false lets go
/// of the listener at once.
struct Counted {
  int status = -1;
  std::map<std::string, std::int64_t> counts, again;
};
Counted count_attempts(void (*child_body)(int), bool listening = true) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    child_body(ends[1]);
  }
  ::close(ends[1]);
  int number = -1;
  EXPECT_EQ(::read(ends[0], &number, sizeof number), static_cast<ssize_t>(sizeof number));
  Counted seen;
  {
    const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    Notifier notifier(UniqueFd(static_cast<int>(::syscall(SYS_pidfd_getfd, pidfd.get(), number, 0))));
    EXPECT_GE(notifier.fd(), 0);
    while (listening && ::waitpid(child, &seen.status, WNOHANG) == 0) notifier.answer();
    seen.counts = notifier.take();
    seen.again = notifier.take();
  }
  if (!listening) ::waitpid(child, &seen.status, 0);
  ::close(ends[0]);
  return seen;
}

/// Opens files of both kinds; the filter must not be in their way.
[[noreturn]] void open_files(int out) {
  no_new_privs();
  const UniqueFd listener = apply_seccomp(true);
  const int number = listener.get();
  if (::write(out, &number, sizeof number) != sizeof number) ::_exit(1);
  const bool ordinary = ::open("/dev/null", O_RDWR) >= 0 && ::open("/proc/self/stat", O_RDONLY) >= 0;
  const bool other = ::open("/etc/passwd", O_RDONLY) >= 0 && ::syscall(SYS_open, "/etc/passwd", O_RDONLY) >= 0;
  for (int i = 0; i < 40; ++i) ::open(("/home/" + std::to_string(i)).c_str(), O_RDONLY);
  ::_exit(ordinary && other ? 0 : 2);
}

/// Lets go of its own end of the listener and calls: whoever held the other end is gone too.
[[noreturn]] void call_unheard(int out) {
  no_new_privs();
  UniqueFd listener = apply_seccomp(true);
  const int number = listener.get();
  if (::write(out, &number, sizeof number) != sizeof number) ::_exit(1);
  ::usleep(50'000);  // until the parent has taken it
  listener.reset();
  ::usleep(50'000);
  ::syscall(SYS_fork);
  ::_exit(::open("/dev/null", O_RDWR) == -1 ? 0 : 3);
}

TEST(Seccomp, LooksAtOpensAndLetsThemThrough) {
  if (!notify_problem().empty()) GTEST_SKIP() << notify_problem();
  const Counted seen = count_attempts(open_files);
  EXPECT_EQ(seen.status, 0) << "an open was refused";
  EXPECT_EQ(seen.counts.at("open /etc/passwd"), 2);
  EXPECT_EQ(seen.counts.count("open /dev/null"), 0U);
  EXPECT_LE(seen.counts.size(), 14U) << "many paths crowd out the rest";
  EXPECT_GT(seen.counts.at("open of other paths"), 20);
}

TEST(Seccomp, NobodyHangsWhenTheListenerIsGone) {
  if (!notify_problem().empty()) GTEST_SKIP() << notify_problem();
  EXPECT_EQ(count_attempts(call_unheard, false).status, 0);
}

TEST(Seccomp, CountsWhatItRefuses) {
  if (!notify_problem().empty()) GTEST_SKIP() << notify_problem();
  const Counted seen = count_attempts(be_counted);
  EXPECT_EQ(seen.status, 0) << "a call got through";
  EXPECT_EQ(seen.counts, (std::map<std::string, std::int64_t>{{"bpf", 2}, {"fork", 1}}));
  EXPECT_TRUE(seen.again.empty()) << "counted twice";
}

TEST(Landlock, LeavesLittle) {
  if (landlock_version() == 0) GTEST_SKIP() << "no Landlock";
  EXPECT_EQ(in_child([] {
              no_new_privs();
              apply_landlock(false, "/usr/share");
              if (::open("/usr/lib", O_RDONLY) < 0) return 1;
              if (::open("/dev/null", O_RDWR) < 0) return 2;
              if (::open("/proc/self/maps", O_RDONLY) < 0) return 3;
              if (::open("/etc/passwd", O_RDONLY) >= 0) return 4;
              if (::open("/tmp", O_RDONLY) >= 0) return 5;
              if (::open("/tmp/leftover", O_WRONLY | O_CREAT, 0600) >= 0) return 6;
              if (::open("/proc/1/maps", O_RDONLY) >= 0) return 7;
              if (::open("/proc/self/mem", O_RDWR) >= 0) return 8;
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace assay::sandbox
