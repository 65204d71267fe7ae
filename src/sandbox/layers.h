#pragma once
#include <cstdint>
#include <string_view>

namespace assay::sandbox {

/// How much of SANDBOX.md's stack is in force.
enum class Level : std::uint8_t { full, confined, weak };
std::string_view name_of(Level level);

/// The parts that a machine may lack. A separate process with limits and without root's rights is never optional.
struct Layers {
  bool namespaces = false;  ///< user, mount, PID, network, IPC, UTS; private root and /proc
  bool landlock = false;
  bool seccomp = false;
  bool notify = false;  ///< refused calls are counted by name (needs seccomp)
  bool operator==(const Layers&) const = default;
};

Level level_of(const Layers& layers);
/// What of `available` a sandbox of at most `wanted` uses: full all, confined no namespaces, weak neither.
Layers limited_to(Level wanted, Layers available);

std::uint32_t to_bits(const Layers& layers);
Layers layers_from_bits(std::uint32_t bits);

}  // namespace assay::sandbox
