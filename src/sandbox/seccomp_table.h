#pragma once
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cstdint>
#include <string_view>

/// What a worker may not call (SANDBOX.md, "Seccomp"). Everything else is open. Arguments that the kernel takes as 32
/// bits are compared in their low half: the rest of the register is the caller's to choose.
namespace assay::sandbox {

enum class Refusal : std::uint8_t {
  counted,  ///< EPERM, and counted by name: no kernel needs it
  quiet,    ///< EPERM; honest libraries may try
  absent,   ///< ENOSYS: callers fall back to something that a filter can read
};

struct DeniedCall {
  int number;
  std::string_view name;
  Refusal refusal;
};

#define ASSAY_CALL(name, refusal) \
  { SCMP_SYS(name), #name, Refusal::refusal }
inline constexpr DeniedCall kDeniedCalls[] = {
    // other processes
    ASSAY_CALL(ptrace, counted),
    ASSAY_CALL(process_vm_readv, counted),
    ASSAY_CALL(process_vm_writev, counted),
    ASSAY_CALL(pidfd_getfd, counted),
    ASSAY_CALL(pidfd_send_signal, counted),
    ASSAY_CALL(kcmp, counted),
    ASSAY_CALL(process_madvise, quiet),
    // new processes
    ASSAY_CALL(execve, counted),
    ASSAY_CALL(execveat, counted),
    ASSAY_CALL(fork, counted),
    ASSAY_CALL(vfork, counted),
    ASSAY_CALL(clone3, absent),
    // rights
    ASSAY_CALL(unshare, counted),
    ASSAY_CALL(setns, counted),
    ASSAY_CALL(mount, counted),
    ASSAY_CALL(umount2, counted),
    ASSAY_CALL(open_tree, counted),
    ASSAY_CALL(move_mount, counted),
    ASSAY_CALL(fsopen, counted),
    ASSAY_CALL(fsconfig, counted),
    ASSAY_CALL(fsmount, counted),
    ASSAY_CALL(fspick, counted),
    ASSAY_CALL(mount_setattr, counted),
    ASSAY_CALL(pivot_root, counted),
    ASSAY_CALL(chroot, counted),
    ASSAY_CALL(setuid, counted),
    ASSAY_CALL(setgid, counted),
    ASSAY_CALL(setreuid, counted),
    ASSAY_CALL(setregid, counted),
    ASSAY_CALL(setresuid, counted),
    ASSAY_CALL(setresgid, counted),
    ASSAY_CALL(setfsuid, counted),
    ASSAY_CALL(setfsgid, counted),
    ASSAY_CALL(setgroups, counted),
    ASSAY_CALL(capset, counted),
    ASSAY_CALL(keyctl, counted),
    ASSAY_CALL(add_key, counted),
    ASSAY_CALL(request_key, counted),
    ASSAY_CALL(open_by_handle_at, counted),
    // kernel surface
    ASSAY_CALL(bpf, counted),
    ASSAY_CALL(perf_event_open, counted),
    ASSAY_CALL(userfaultfd, counted),
    ASSAY_CALL(io_uring_setup, counted),
    ASSAY_CALL(io_uring_enter, counted),
    ASSAY_CALL(io_uring_register, counted),
    ASSAY_CALL(init_module, counted),
    ASSAY_CALL(finit_module, counted),
    ASSAY_CALL(delete_module, counted),
    ASSAY_CALL(kexec_load, counted),
    ASSAY_CALL(kexec_file_load, counted),
    ASSAY_CALL(reboot, counted),
    ASSAY_CALL(swapon, counted),
    ASSAY_CALL(swapoff, counted),
    ASSAY_CALL(acct, counted),
    ASSAY_CALL(quotactl, counted),
    ASSAY_CALL(settimeofday, counted),
    ASSAY_CALL(clock_settime, counted),
    ASSAY_CALL(syslog, counted),
    // self-protection
    ASSAY_CALL(seccomp, counted),
    // channels and signals to others
    ASSAY_CALL(flock, quiet),
    ASSAY_CALL(tkill, quiet),
};
#undef ASSAY_CALL

/// A call that is refused for some values of one argument.
struct DeniedUse {
  int number;
  std::string_view name;
  Refusal refusal;
  unsigned argument;
  enum class When : std::uint8_t { low_half_is, low_bits_clear, is_not } when;
  std::uint64_t value;
};

/// Stands for the process id of the worker, which is known only when the filter is built.
inline constexpr std::uint64_t kOwnPid = ~std::uint64_t{0};

#define ASSAY_USE(name, refusal, argument, when, value) \
  { SCMP_SYS(name), #name, Refusal::refusal, argument, DeniedUse::When::when, static_cast<std::uint64_t>(value) }
inline constexpr DeniedUse kDeniedUses[] = {
    // a new process, not a thread
    ASSAY_USE(clone, counted, 0, low_bits_clear, CLONE_THREAD),
    // self-protection: what keeps the worker tied to its keeper and visible to it. 59 is PR_SET_SYSCALL_USER_DISPATCH.
    ASSAY_USE(prctl, counted, 0, low_half_is, PR_SET_PDEATHSIG),
    ASSAY_USE(prctl, counted, 0, low_half_is, PR_SET_DUMPABLE),
    ASSAY_USE(prctl, counted, 0, low_half_is, PR_SET_PTRACER),
    ASSAY_USE(prctl, counted, 0, low_half_is, PR_SET_SECCOMP),
    ASSAY_USE(prctl, counted, 0, low_half_is, PR_SET_MM),
    ASSAY_USE(prctl, counted, 0, low_half_is, 59),
    // the init that keeps the worker has the same user: its limits, scheduling and signals are out of reach
    ASSAY_USE(prlimit64, counted, 0, is_not, 0),
    ASSAY_USE(kill, quiet, 0, is_not, kOwnPid),
    ASSAY_USE(tgkill, quiet, 0, is_not, kOwnPid),
    ASSAY_USE(rt_sigqueueinfo, quiet, 0, is_not, kOwnPid),
    ASSAY_USE(rt_tgsigqueueinfo, quiet, 0, is_not, kOwnPid),
    ASSAY_USE(sched_setaffinity, quiet, 0, low_half_is, 1),
    ASSAY_USE(sched_setscheduler, quiet, 0, low_half_is, 1),
    ASSAY_USE(sched_setparam, quiet, 0, low_half_is, 1),
    ASSAY_USE(sched_setattr, quiet, 0, low_half_is, 1),
    ASSAY_USE(setpriority, quiet, 0, low_half_is, PRIO_PGRP),
    ASSAY_USE(setpriority, quiet, 0, low_half_is, PRIO_USER),
    ASSAY_USE(setpriority, quiet, 1, low_half_is, 1),
    ASSAY_USE(ioprio_set, quiet, 1, low_half_is, 1),
    // channels: locks and leases on shared files, signals of descriptors, sockets that no network namespace contains
    ASSAY_USE(fcntl, quiet, 1, low_half_is, F_GETLK),
    ASSAY_USE(fcntl, quiet, 1, low_half_is, F_SETLK),
    ASSAY_USE(fcntl, quiet, 1, low_half_is, F_SETLKW),
    ASSAY_USE(fcntl, quiet, 1, low_half_is, 36),
    ASSAY_USE(fcntl, quiet, 1, low_half_is, 37),
    ASSAY_USE(fcntl, quiet, 1, low_half_is, 38),
    ASSAY_USE(fcntl, quiet, 1, low_half_is, 1024),
    ASSAY_USE(fcntl, quiet, 1, low_half_is, 1026),
    ASSAY_USE(fcntl, quiet, 1, low_half_is, 8),
    ASSAY_USE(fcntl, quiet, 1, low_half_is, 10),
    ASSAY_USE(fcntl, quiet, 1, low_half_is, 15),
    ASSAY_USE(socket, counted, 0, low_half_is, AF_VSOCK),
    ASSAY_USE(socket, counted, 0, low_half_is, AF_ALG),
    ASSAY_USE(socket, counted, 0, low_half_is, AF_PACKET),
    ASSAY_USE(socket, counted, 0, low_half_is, AF_INET),
    ASSAY_USE(socket, counted, 0, low_half_is, AF_INET6),
};
#undef ASSAY_USE

/// Calls that open files: let through to Landlock and the private root, which decide; the listener only takes down
/// paths that lie outside of what a sandbox shows. Without a listener nobody looks.
struct WatchedCall {
  int number;
  unsigned path;   ///< which argument points to the path
  unsigned flags;  ///< which argument holds the flags; the same as `path`: not to be read
};

inline constexpr WatchedCall kWatchedCalls[] = {
    {SCMP_SYS(open), 0, 1},
    {SCMP_SYS(openat), 1, 2},
    {SCMP_SYS(openat2), 1, 1},
};

}  // namespace assay::sandbox
