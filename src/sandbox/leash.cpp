#include "sandbox/leash.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "sandbox/proc_stat.h"
#include "sandbox/system.h"

namespace assay::sandbox {
namespace {

/// What a process still spends on its way from "stopped" to off the processor.
constexpr std::int64_t kStoppingNs = 20'000;

pid_t only_child(pid_t parent) {
  const std::string id = std::to_string(parent);
  const std::string text = read_text("/proc/" + id + "/task/" + id + "/children");
  return static_cast<pid_t>(std::strtol(text.c_str(), nullptr, 10));
}

bool stands(char state) {
  return state == 'T' || state == 't' || state == 'Z' || state == 'X';
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

Leash::Leash(pid_t pid, UniqueFd pidfd, UniqueFd folder, UniqueFd stat, UniqueFd schedule)
    : pid_(pid),
      pidfd_(std::move(pidfd)),
      folder_(std::move(folder)),
      stat_(std::move(stat)),
      schedule_(std::move(schedule)) {
  ::clock_getcpuclockid(pid_, &clock_);
}

std::optional<Leash> Leash::of_grandchild(pid_t launcher) {
  const pid_t init = only_child(launcher);
  const pid_t worker = init > 0 ? only_child(init) : 0;
  if (worker <= 0) return std::nullopt;
  const std::string path = "/proc/" + std::to_string(worker);
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, worker, 0)));
  UniqueFd folder(::open((path + "/task").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  UniqueFd stat(::open((path + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  UniqueFd schedule(::open((path + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC));
  // Had the worker died meanwhile, its number could be another process's by now.
  if (!pidfd || !folder || !stat || only_child(init) != worker) return std::nullopt;
  if (::syscall(SYS_pidfd_send_signal, pidfd.get(), 0, nullptr, 0) != 0) return std::nullopt;
  return Leash(worker, std::move(pidfd), std::move(folder), std::move(stat), std::move(schedule));
}

bool Leash::stop(std::chrono::steady_clock::time_point deadline) {
  for (int round = 0;; ++round) {
    // Again and again: a timer of its own may undo the first.
    if (round % 32 == 0) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGSTOP, nullptr, 0);
    const Look seen = look();
    if (seen == Look::gone) return false;
    if (seen == Look::still) break;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    if (round > 20) ::usleep(20);
  }
  stopped_cpu_ns_ = cpu_ns();
  return true;
}

bool Leash::resume() {
  const std::optional<ProcStat> stat = read_stat(stat_.get());
  const bool ran = (stat && !stands(stat->state)) || cpu_ns() - stopped_cpu_ns_ > kStoppingNs;
  ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGCONT, nullptr, 0);
  return ran;
}

std::int64_t Leash::cpu_ns() const {
  timespec spent{};
  if (::clock_gettime(clock_, &spent) != 0) return 0;
  return spent.tv_sec * 1'000'000'000LL + spent.tv_nsec;
}

std::int64_t Leash::waited_ns() const {
  std::array<char, 96> text{};
  if (!schedule_ || ::pread(schedule_.get(), text.data(), text.size() - 1, 0) <= 0) return 0;
  std::int64_t ran = 0, waited = 0;  // "RAN WAITED SLICES", in nanoseconds
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, ran);
  if (first.ec != std::errc() || *first.ptr != ' ') return 0;
  return std::from_chars(first.ptr + 1, end, waited).ec == std::errc() ? waited : 0;
}

/// A stopped thread starts no other, so: all that are listed stand still, and afterwards there are no more than those.
Leash::Look Leash::look() {
  const std::optional<ProcStat> stat = read_stat(stat_.get());
  if (!stat) return Look::gone;
  threads_ = stat->fields[20];
  resident_bytes_ = stat->fields[24] * ::sysconf(_SC_PAGESIZE);
  if (!stands(stat->state)) return Look::moving;
  if (threads_ > 1) return look_at_threads();
  return stat->state == 'T' || stat->state == 't' ? Look::still : Look::gone;
}

Leash::Look Leash::look_at_threads() const {
  const std::unique_ptr<DIR, CloseFolder> folder(::fdopendir(::openat(folder_.get(), ".", O_RDONLY | O_CLOEXEC)));
  if (!folder) return Look::gone;
  std::int64_t listed = 0;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] == '.') continue;
    const std::string name = std::string(entry->d_name) + "/stat";
    const UniqueFd file(::openat(folder_.get(), name.c_str(), O_RDONLY | O_CLOEXEC));
    const std::optional<ProcStat> thread = read_stat(file.get());
    if (!thread || !stands(thread->state)) return Look::moving;
    ++listed;
  }
  const std::optional<ProcStat> after = read_stat(stat_.get());
  if (!after) return Look::gone;
  return after->fields[20] == listed ? Look::still : Look::moving;
}

}  // namespace assay::sandbox
