#include "sandbox/identity.h"

#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "sandbox/system.h"

namespace assay::sandbox {
namespace {

std::string single_map(uid_t inside, unsigned long outside) {
  return std::to_string(inside) + " " + std::to_string(outside) + " 1";
}

}  // namespace

void protect_judge() {
  checked(::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0), "can't make the judge non-dumpable");
}

void drop_root() {
  if (::geteuid() == 0) {
    checked(::setgroups(0, nullptr), "can't leave the groups of root");
    checked(::setresgid(kNobody, kNobody, kNobody), "can't give up root's group");
    checked(::setresuid(kNobody, kNobody, kNobody), "can't give up root");
  }
  checked(::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), "can't stay dumpable");
}

void drop_capabilities() {
  for (int capability = 0; capability < 64; ++capability) ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2]{};
  checked(::syscall(SYS_capset, &header, none), "can't give up capabilities");
}

void die_with_parent(pid_t parent) {
  checked(::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "can't ask to die with the parent");
  if (parent != 0 && ::getppid() != parent) ::_exit(1);
}

void enter_namespaces(Surroundings surroundings) {
  const SurroundingsRow& shown = row_of(surroundings);
  const unsigned long user = ::geteuid();
  const unsigned long group = ::getegid();
  const int wanted = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
  checked(::unshare(wanted), "can't make namespaces");
  write_text("/proc/self/setgroups", "deny");
  write_text("/proc/self/uid_map", single_map(shown.user, user));
  write_text("/proc/self/gid_map", single_map(shown.user, group));
  ::unshare(CLONE_NEWCGROUP);  // hides the name of the judge's cgroup; kernels without it have no such file to hide
  checked(::sethostname(shown.host, std::strlen(shown.host)), "can't set the host name");
}

}  // namespace assay::sandbox
