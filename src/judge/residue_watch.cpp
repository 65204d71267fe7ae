#include "judge/residue_watch.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

/// Growth that no page granularity or allocator slack explains: this many bytes for every call.
constexpr std::int64_t kGrowthBytesPerCall = 512;
constexpr std::int64_t kGrowthBytesAtLeast = 64 << 10;

Observation residue(std::string threat, std::string message, Evidence evidence) {
  return {"residue", "", std::move(threat), Severity::error, std::move(message), std::move(evidence)};
}

Observation manners(const std::string& what, const std::string& before, const std::string& now) {
  return {"manners",
          "",
          "F7",
          Severity::error,
          "a call changed the process's " + what + " and left it changed: " + before + " before, " + now + " now",
          {{"state", what}, {"before", before}, {"now", now}}};
}

void compare_states(const std::map<std::string, std::string>& before, const std::map<std::string, std::string>& now,
                    std::vector<Observation>& found) {
  for (const auto& [what, value] : now) {
    const auto it = before.find(what);
    if (it != before.end() && it->second != value) found.push_back(manners(what, it->second, value));
  }
}

struct Attempt {
  std::string_view name;
  std::string_view threat;
  std::string_view what;
};

constexpr std::array<Attempt, 9> kAttempts{{
    {"fork", "E3", "to start another process"},
    {"vfork", "E3", "to start another process"},
    {"clone", "E3", "to start another process"},
    {"execve", "E3", "to run another program"},
    {"execveat", "E3", "to run another program"},
    {"ptrace", "E6", "to look into another process"},
    {"process_vm_readv", "B15", "to read another process's memory"},
    {"process_vm_writev", "B17", "to write another process's memory"},
    {"bpf", "E6", "to load code into the kernel"},
}};

}  // namespace

ResidueWatch::ResidueWatch(const Contract& contract, Residue after_load)
    : pool_(std::max<std::int64_t>(contract.concurrency.threads, 1)), baseline_(std::move(after_load)) {}

std::int64_t ResidueWatch::allowed_threads() const {
  return baseline_.threads + pool_;
}

std::vector<Observation> ResidueWatch::after_call(const Residue& now) const {
  if (now.threads <= allowed_threads()) return {};
  return {residue("F3",
                  std::to_string(now.threads - baseline_.threads) +
                      " threads stay after the call; the contract allows " + std::to_string(pool_) + " idle ones",
                  {{"threads", now.threads - baseline_.threads}, {"allowed", pool_}})};
}

std::vector<Observation> ResidueWatch::whole(const Residue& now) const {
  std::vector<Observation> found;
  compare_states(baseline_.state, now.state, found);
  compare_states(baseline_.own_word, now.own_word, found);
  if (now.children > baseline_.children) {
    found.push_back(residue("E3",
                            std::to_string(now.children - baseline_.children) + " child processes are left behind",
                            {{"children", now.children}}));
  }
  return found;
}

std::vector<Observation> ResidueWatch::growth(const Residue& middle, const Residue& end, std::int64_t calls) const {
  std::vector<Observation> found;
  const std::int64_t bytes = end.resident_bytes - middle.resident_bytes;
  if (bytes > kGrowthBytesAtLeast && bytes > calls * kGrowthBytesPerCall) {
    found.push_back(residue("F3",
                            "memory grows with every call: " + std::to_string(bytes) + " bytes over " +
                                std::to_string(calls) + " identical calls",
                            {{"growth_bytes", bytes}, {"calls", calls}}));
  }
  const auto files =
      static_cast<std::int64_t>(end.descriptors.size()) - static_cast<std::int64_t>(middle.descriptors.size());
  if (files >= calls / 2 && files > 0) {
    found.push_back(residue("F3",
                            "open descriptors grow with every call: " + std::to_string(files) + " more after " +
                                std::to_string(calls) + " identical calls",
                            {{"descriptors", files}, {"calls", calls}}));
  }
  const std::int64_t threads = end.threads - middle.threads;
  if (threads >= calls / 2 && threads > 0) {
    found.push_back(residue("F3",
                            "threads grow with every call: " + std::to_string(threads) + " more after " +
                                std::to_string(calls) + " identical calls",
                            {{"threads", threads}, {"calls", calls}}));
  }
  return found;
}

std::vector<Observation> attempts_seen(const Attempts& attempts) {
  std::vector<Observation> found;
  for (const Attempt& each : kAttempts) {
    const auto it = attempts.find(std::string(each.name));
    if (it == attempts.end()) continue;
    found.push_back({"attempt",
                     "",
                     std::string(each.threat),
                     Severity::error,
                     "the subject tried " + std::string(each.what) + " (" + it->first + ", " +
                         std::to_string(it->second) + " times); the sandbox refused",
                     {{"system_call", it->first}, {"times", it->second}}});
  }
  return found;
}

}  // namespace assay
