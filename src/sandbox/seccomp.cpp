#include "sandbox/seccomp.h"

#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "core/error.h"
#include "sandbox/seccomp_table.h"
#include "sandbox/system.h"

namespace assay::sandbox {
namespace {

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

void must(int result, std::string_view what) {
  if (result < 0) throw Error("seccomp: " + std::string(what) + ": " + std::strerror(-result));
}

std::uint32_t action_of(Refusal refusal, bool notify) {
  switch (refusal) {
    case Refusal::absent:
      return SCMP_ACT_ERRNO(ENOSYS);
    case Refusal::quiet:
      return SCMP_ACT_ERRNO(EPERM);
    case Refusal::counted:
      break;
  }
  return notify ? SCMP_ACT_NOTIFY : SCMP_ACT_ERRNO(EPERM);
}

scmp_arg_cmp condition_of(const DeniedUse& use) {
  const std::uint64_t value = use.value == kOwnPid ? static_cast<std::uint64_t>(::getpid()) : use.value;
  switch (use.when) {
    case DeniedUse::When::low_half_is:
      return {use.argument, SCMP_CMP_MASKED_EQ, 0xffffffffULL, value & 0xffffffffULL};
    case DeniedUse::When::low_bits_clear:
      return {use.argument, SCMP_CMP_MASKED_EQ, value, 0};
    case DeniedUse::When::is_not:
      break;
  }
  return {use.argument, SCMP_CMP_NE, value, 0};
}

/// Negative numbers are calls that this processor doesn't have: nothing to refuse.
void add_rules(scmp_filter_ctx filter, bool notify) {
  for (const DeniedCall& call : kDeniedCalls) {
    if (call.number < 0) continue;
    must(seccomp_rule_add_array(filter, action_of(call.refusal, notify), call.number, 0, nullptr), call.name);
  }
  for (const DeniedUse& use : kDeniedUses) {
    if (use.number < 0) continue;
    const scmp_arg_cmp condition = condition_of(use);
    must(seccomp_rule_add_array(filter, action_of(use.refusal, notify), use.number, 1, &condition), use.name);
  }
  for (const WatchedCall& call : kWatchedCalls) {
    if (!notify || call.number < 0) continue;
    must(seccomp_rule_add_array(filter, SCMP_ACT_NOTIFY, call.number, 0, nullptr), "open");
  }
}

}  // namespace

UniqueFd apply_seccomp(bool notify) {
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release);
  if (!filter) throw Error("seccomp: the library can't make a filter");
  must(seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS), "foreign architectures");
  must(seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1), "all threads");
  must(seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2), "search tree");
  add_rules(filter.get(), notify);
  must(seccomp_load(filter.get()), "the filter can't be put in force");
  return UniqueFd(notify ? seccomp_notify_fd(filter.get()) : -1);
}

std::string seccomp_problem() {
  const std::uint32_t kill = SECCOMP_RET_KILL_PROCESS;
  if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &kill) != 0) return "the kernel offers no filters";
  if (seccomp_api_get() < 3) return "filters can't be put on all threads";
  return {};
}

std::string notify_problem() {
  // Level 6 of the library: listener and synchronised threads together (kernel 5.7).
  return seccomp_api_get() < 6 ? "refused calls can't be counted before Linux 5.7" : std::string();
}

}  // namespace assay::sandbox
