#include "sandbox/doctor.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <functional>
#include <stdexcept>

#include "sandbox/fd.h"
#include "sandbox/identity.h"
#include "sandbox/image.h"
#include "sandbox/landlock.h"
#include "sandbox/root.h"
#include "sandbox/seccomp.h"
#include "sandbox/system.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace assay::sandbox {
namespace {

using Step = std::function<void()>;

[[noreturn]] void run_and_tell(const Step& step, int out) {
  std::string problem;
  try {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    step();
  } catch (const std::exception& error) {
    problem = error.what();
  }
  const bool told = ::write(out, problem.data(), problem.size()) == static_cast<ssize_t>(problem.size());
  ::_exit(told && problem.empty() ? 0 : 1);
}

std::string read_all(int in) {
  std::string text;
  std::array<char, 512> part{};
  ssize_t got = 0;
  while ((got = ::read(in, part.data(), part.size())) > 0) text.append(part.data(), static_cast<std::size_t>(got));
  return text;
}

/// Runs `step` in a child. Empty: it went well; else its error.
std::string tried_in_child(const Step& step) {
  std::array<int, 2> ends{};
  checked(::pipe2(ends.data(), O_CLOEXEC), "no pipe");
  UniqueFd in(ends[0]);
  UniqueFd out(ends[1]);
  const pid_t child = static_cast<pid_t>(checked(::fork(), "no process"));
  if (child == 0) run_and_tell(step, out.get());
  out.reset();
  const std::string problem = read_all(in.get());
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!problem.empty() || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return problem;
  return "the trial process died";
}

/// Namespaces and private root as a worker gets them; the inner process is PID 1 of the new namespace.
void try_namespaces() {
  drop_root();
  enter_namespaces();
  const std::string problem = tried_in_child([] { build_root({}, {}, "/opt/lib"); });
  if (!problem.empty()) throw std::runtime_error(problem);
}

void try_landlock() {
  checked(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
  apply_landlock(false, "/usr/lib");
}

void try_seccomp(bool notify) {
  checked(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
  const UniqueFd listener = apply_seccomp(notify);
}

void try_seals() {
  const UniqueFd file(::memfd_create(kNeutralName, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  checked(file.get(), "memfd_create");
  checked(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL), "seals");
}

DoctorRow row(std::string name, const std::string& problem, const std::string& detail, const std::string& lowers) {
  const bool ok = problem.empty();
  return {std::move(name), ok, ok ? detail : problem, ok ? std::string() : lowers};
}

DoctorRow namespaces_row() {
  return row("namespaces", tried_in_child(try_namespaces),
             "user, mount, PID, network, IPC, UTS; private root and /proc",
             "level: confined at best; other processes and the network stay visible, and there is no scratch folder");
}

DoctorRow landlock_row() {
  const int version = landlock_version();
  const std::string lacks = landlock_lacks(version);
  const std::string found = "version " + std::to_string(version) + (lacks.empty() ? "" : ", lacks " + lacks);
  const std::string problem = version == 0 ? "the kernel has no Landlock" : tried_in_child(try_landlock);
  return row("landlock", problem, found, "level: weak; files are protected by ownership alone");
}

DoctorRow seccomp_row() {
  std::string problem = seccomp_problem();
  if (problem.empty()) problem = tried_in_child([] { try_seccomp(false); });
  return row("seccomp", problem, "a filter on all threads", "level: weak; every system call is open");
}

DoctorRow notify_row() {
  std::string problem = notify_problem();
  if (problem.empty()) problem = tried_in_child([] { try_seccomp(true); });
  return row("notify", problem, "refused calls are counted by name", "forks and execs are refused but not reported");
}

DoctorRow identity_row() {
  const bool root = ::geteuid() == 0;
  const std::string problem = root ? tried_in_child(drop_root) : std::string();
  const std::string found =
      root ? "workers run as user 65534" : "workers run as this user, user " + std::to_string(::geteuid());
  return row("user", problem, found, "level: none; a worker must not be root");
}

DoctorRow seals_row() {
  return row("memory seals", tried_in_child(try_seals), "inputs can be lent read-only",
             "no worker can be lent memory: audits on the CPU are impossible");
}

DoctorRow yama_row() {
  const std::string scope = read_text("/proc/sys/kernel/yama/ptrace_scope");
  return {"yama", true,
          scope.empty() ? "absent; the judge is non-dumpable instead" : "ptrace_scope " + scope.substr(0, 1), ""};
}

DoctorRow cgroup_row() {
  const std::string own = read_text("/proc/self/cgroup");
  const std::size_t unified = own.find("0::");
  const std::string path =
      unified == std::string::npos ? "" : own.substr(unified + 3, own.find('\n', unified) - unified - 3);
  const bool delegated =
      !path.empty() && ::access(("/sys/fs/cgroup" + path + "/cgroup.subtree_control").c_str(), W_OK) == 0;
  return {"cgroup", delegated, delegated ? "delegated at " + path : "not delegated",
          delegated ? "" : "memory is bounded by address space instead of by use"};
}

std::string reason(const Diagnosis& found) {
  std::string missing;
  for (const DoctorRow& each : found.rows) {
    if (!each.ok) missing += "; " + each.name + ": " + each.detail;
  }
  return std::string(name_of(found.level)) + (missing.empty() ? ": nothing is missing" : missing);
}

}  // namespace

Diagnosis examine_machine() {
  Diagnosis found;
  found.rows = {namespaces_row(), landlock_row(), seccomp_row(), notify_row(),
                identity_row(),   seals_row(),    yama_row(),    cgroup_row()};
  found.layers = {found.rows[0].ok, found.rows[1].ok, found.rows[2].ok, found.rows[3].ok};
  found.level = level_of(found.layers);
  found.why = reason(found);
  return found;
}

}  // namespace assay::sandbox
