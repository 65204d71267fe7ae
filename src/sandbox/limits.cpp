#include "sandbox/limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "sandbox/system.h"

namespace assay::sandbox {
namespace {

struct Limit {
  __rlimit_resource resource;
  rlim_t value;
  const char* name;
};

constexpr rlim_t kMiB = rlim_t{1} << 20;

/// RLIMIT_FSIZE times RLIMIT_NOFILE bounds what can be hidden in memory files, which no address-space limit counts.
constexpr Limit kFixed[] = {
    {RLIMIT_CORE, 0, "core"},           {RLIMIT_FSIZE, 16 * kMiB, "file size"},
    {RLIMIT_NOFILE, 128, "open files"}, {RLIMIT_MSGQUEUE, 0, "queues"},
    {RLIMIT_NICE, 0, "nice"},           {RLIMIT_RTPRIO, 0, "realtime"},
    {RLIMIT_STACK, 8 * kMiB, "stack"},  {RLIMIT_SIGPENDING, 256, "pending signals"},
};

/// A device's driver opens its nodes again and again, pins memory, and makes files as large as a device's memory.
constexpr Limit kDevice[] = {
    {RLIMIT_CORE, 0, "core"},
    {RLIMIT_FSIZE, RLIM_INFINITY, "file size"},
    {RLIMIT_NOFILE, 4096, "open files"},
    {RLIMIT_MSGQUEUE, 0, "queues"},
    {RLIMIT_NICE, 0, "nice"},
    {RLIMIT_RTPRIO, 0, "realtime"},
    {RLIMIT_STACK, 8 * kMiB, "stack"},
    {RLIMIT_SIGPENDING, 256, "pending signals"},
};
constexpr rlim_t kDriverThreads = 48;

/// Beyond what a call may use: helper threads of libraries, and threads of one call that end while the next ones start.
constexpr rlim_t kThreadMargin = 16;
/// For threads of the same user that aren't ours, where they can't be told apart.
constexpr rlim_t kForeignMargin = 4096;

void set(const Limit& limit) {
  rlimit now{};
  checked(::getrlimit(limit.resource, &now), limit.name);
  const rlim_t value = std::min(limit.value, now.rlim_max);
  const rlimit wanted{value, value};
  checked(::setrlimit(limit.resource, &wanted), std::string("can't limit ") + limit.name);
}

rlim_t address_space_now() {
  const std::string text = read_text("/proc/self/statm");
  return static_cast<rlim_t>(std::strtoull(text.c_str(), nullptr, 10)) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

/// Private memory that may be written, as RLIMIT_DATA counts it.
rlim_t data_now() {
  const std::string text = read_text("/proc/self/status");
  const std::size_t at = text.find("VmData:");
  return at == std::string::npos ? 0 : static_cast<rlim_t>(std::strtoull(text.c_str() + at + 7, nullptr, 10)) * 1024;
}

}  // namespace

void apply_limits(const Limits& limits, bool own_user) {
  for (const Limit& limit : limits.device ? kDevice : kFixed) set(limit);
  const auto threads = static_cast<rlim_t>(limits.threads) + (limits.device ? kDriverThreads : 0);
  set({RLIMIT_NPROC, threads + kThreadMargin + (own_user ? 0 : kForeignMargin), "threads"});
  if (limits.memory_bytes <= 0) return;
  if (limits.device) {
    // What the driver reserves without touching it can't be told from what a subject takes: its private data can.
    set({RLIMIT_DATA, data_now() + static_cast<rlim_t>(limits.memory_bytes), "data"});
    return;
  }
  // Every thread reserves a heap and a stack that it hardly touches: address space, no memory.
  constexpr rlim_t kPerThread = 136 * kMiB;
  const rlim_t space = address_space_now() + static_cast<rlim_t>(limits.memory_bytes) + threads * kPerThread;
  set({RLIMIT_AS, space, "address space"});
}

}  // namespace assay::sandbox
