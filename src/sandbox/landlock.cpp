#include "sandbox/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "sandbox/fd.h"
#include "sandbox/landlock_abi.h"
#include "sandbox/system.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

namespace assay::sandbox {
namespace {

namespace abi = landlock_abi;

constexpr std::uint64_t kRead = abi::kReadFile | abi::kReadDir;
constexpr std::uint64_t kScratch = abi::kFs5 & ~(abi::kExecute | abi::kMakeChar | abi::kMakeBlock | abi::kMakeSock);
constexpr std::uint64_t kDevice = abi::kReadFile | abi::kWriteFile;

constexpr std::uint64_t kNode = abi::kReadFile | abi::kWriteFile | abi::kIoctlDev;

struct Grant {
  const char* path;
  std::uint64_t rights;
};

struct Addition {
  const char* what;
  int since;
};

constexpr Grant kPrivate[] = {
    {"/", kRead},
    {"/tmp", kScratch},
    {"/dev/null", kDevice},
    {"/dev/zero", kDevice},
    {"/dev/full", kDevice},
    {"/dev/random", abi::kReadFile},
    {"/dev/urandom", abi::kReadFile},
};

/// Without a private root: no folder that a user puts things in, and of /proc the own process only.
constexpr Grant kShared[] = {
    {"/usr/lib", kRead},
    {"/usr/lib32", kRead},
    {"/usr/lib64", kRead},
    {"/usr/local/lib", kRead},
    {"/usr/share/zoneinfo", kRead},
    {"/lib", kRead},
    {"/lib64", kRead},
    {"/etc/ld.so.cache", abi::kReadFile},
    {"/etc/alternatives", kRead},
    {"/proc/self", kRead},
    {"/proc/cpuinfo", abi::kReadFile},
    {"/proc/meminfo", abi::kReadFile},
    {"/proc/stat", abi::kReadFile},
    {"/sys/devices/system/cpu", kRead},
    {"/sys/devices/system/node", kRead},
    {"/dev/null", kDevice},
    {"/dev/zero", kDevice},
    {"/dev/full", kDevice},
    {"/dev/random", abi::kReadFile},
    {"/dev/urandom", abi::kReadFile},
};

const abi::Version& rights_of(int version) {
  const auto last = static_cast<int>(std::size(abi::kVersions));
  return abi::kVersions[std::min(version, last) - 1];
}

void grant(int ruleset, const std::string& path, std::uint64_t rights) {
  const UniqueFd place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!place) return;  // nothing there to be granted
  struct stat about {};
  checked(::fstat(place.get(), &about), path);
  // The kernel refuses rights of folders on files.
  constexpr std::uint64_t kOfFiles = abi::kExecute | abi::kWriteFile | abi::kReadFile | abi::kTruncate | abi::kIoctlDev;
  if (!S_ISDIR(about.st_mode)) rights &= kOfFiles;
  const abi::PathBeneath rule{rights, place.get()};
  checked(::syscall(SYS_landlock_add_rule, ruleset, abi::kRulePathBeneath, &rule, 0),
          "Landlock refuses a rule for " + path);
}

}  // namespace

int landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, abi::kVersionFlag);
  return version < 0 ? 0 : static_cast<int>(version);
}

std::string landlock_lacks(int version) {
  if (version == 0) return "everything";
  constexpr Addition kAdds[] = {
      {"moves between folders", 2}, {"truncation", 3}, {"TCP", 4}, {"ioctl", 5}, {"abstract sockets and signals", 6}};
  std::string text;
  for (const Addition& each : kAdds) {
    if (version < each.since) text += (text.empty() ? "" : ", ") + std::string(each.what);
  }
  return text;
}

void apply_landlock(bool private_root, const std::string& subject_folder, const std::vector<Opening>& openings) {
  const int version = landlock_version();
  if (version == 0) throw Error("this kernel has no Landlock");
  const abi::Version& rights = rights_of(version);
  const abi::RulesetAttributes attributes{rights.fs, rights.net, rights.scoped};
  // Older kernels accept a longer structure as long as what they don't know is zero.
  const UniqueFd ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
  checked(ruleset.get(), "Landlock refuses a ruleset");
  const auto grants = private_root ? std::pair(std::begin(kPrivate), std::end(kPrivate))
                                   : std::pair(std::begin(kShared), std::end(kShared));
  for (auto it = grants.first; it != grants.second; ++it) grant(ruleset.get(), it->path, it->rights & rights.fs);
  grant(ruleset.get(), subject_folder, kRead);
  for (const Opening& opening : openings) {
    grant(ruleset.get(), opening.path, (opening.node ? kNode : kRead) & rights.fs);
  }
  checked(::syscall(SYS_landlock_restrict_self, ruleset.get(), 0), "Landlock can't be put in force");
}

}  // namespace assay::sandbox
