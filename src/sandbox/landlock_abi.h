#pragma once
#include <cstdint>

/// The kernel's Landlock interface, all versions to 7: Debian 12's header stops at 2, and what a kernel supports is
/// asked of the kernel. From the kernel's documentation, userspace-api/landlock.
namespace assay::sandbox::landlock_abi {

struct RulesetAttributes {
  std::uint64_t handled_fs = 0;
  std::uint64_t handled_net = 0;  ///< from 4
  std::uint64_t scoped = 0;       ///< from 6
};

struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed = 0;
  std::int32_t parent_fd = -1;
};

inline constexpr unsigned kVersionFlag = 1;
inline constexpr int kRulePathBeneath = 1;

inline constexpr std::uint64_t kExecute = 1ULL << 0, kWriteFile = 1ULL << 1, kReadFile = 1ULL << 2,
                               kReadDir = 1ULL << 3, kRemoveDir = 1ULL << 4, kRemoveFile = 1ULL << 5,
                               kMakeChar = 1ULL << 6, kMakeDir = 1ULL << 7, kMakeReg = 1ULL << 8, kMakeSock = 1ULL << 9,
                               kMakeFifo = 1ULL << 10, kMakeBlock = 1ULL << 11, kMakeSym = 1ULL << 12,
                               kRefer = 1ULL << 13, kTruncate = 1ULL << 14, kIoctlDev = 1ULL << 15;
inline constexpr std::uint64_t kNetBind = 1, kNetConnect = 2;
inline constexpr std::uint64_t kScopeAbstractSocket = 1, kScopeSignal = 2;

/// What each version handles, from the first on; the last row stands for all later ones. Version 7 adds only flags of
/// audit logs.
struct Version {
  std::uint64_t fs, net, scoped;
};
inline constexpr std::uint64_t kFs1 = kRefer - 1, kFs2 = kTruncate - 1, kFs3 = kIoctlDev - 1, kFs5 = 2 * kIoctlDev - 1;
inline constexpr Version kVersions[] = {
    {kFs1, 0, 0},
    {kFs2, 0, 0},
    {kFs3, 0, 0},
    {kFs3, kNetBind | kNetConnect, 0},
    {kFs5, kNetBind | kNetConnect, 0},
    {kFs5, kNetBind | kNetConnect, kScopeAbstractSocket | kScopeSignal},
    {kFs5, kNetBind | kNetConnect, kScopeAbstractSocket | kScopeSignal},
};

}  // namespace assay::sandbox::landlock_abi
