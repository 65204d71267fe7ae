#include "judge/residue_watch.h"

#include <algorithm>
#include <array>

namespace assay {
namespace {

/// What a call may take and not give back, and how much growth of it no page granularity, allocator slack or set-up
/// explains. Steep: so much for every call, over few calls. Steady: a step up from each reading to the next, over many.
enum class Told : std::uint8_t { always, beside_a_driver, by_the_device };

struct Quantity {
  std::string_view what, unit, key;
  bool plural;
  std::int64_t (*of)(const Residue&);
  std::int64_t steep_at_least;
  double steep_per_call;
  std::int64_t step, steady_at_least;
  std::int64_t too_many;  ///< more than at the start, however it came about
  Told told = Told::always;
  int rising_steps = 0;  ///< steep: at least so many steps up, and none down: pools breathe
};

constexpr std::int64_t kNever = std::int64_t{1} << 60;

std::int64_t anonymous(const Residue& residue) {
  return residue.resident_bytes;
}
std::int64_t on_device(const Residue& residue) {
  return residue.device_bytes.value_or(0);
}
std::int64_t shared(const Residue& residue) {
  return residue.shared_bytes;
}
std::int64_t descriptors(const Residue& residue) {
  return static_cast<std::int64_t>(residue.descriptors.size());
}
std::int64_t threads(const Residue& residue) {
  return residue.threads;
}

constexpr std::array<Quantity, 5> kQuantities{{
    {"memory", "bytes", "growth_bytes", false, anonymous, 1 << 20, 512.0, 8 << 10, 64 << 10, kNever},
    // A device hands out memory by the granule, mostly of 2 MiB. A stream of CUDA's takes half a MiB.
    {"device memory", "bytes", "device_growth_bytes", false, on_device, 4 << 20, 4096.0, 2 << 20, 16 << 20, kNever,
     Told::by_the_device, 3},
    {"pinned memory", "bytes", "pinned_growth_bytes", false, shared, 2 << 20, 4096.0, 64 << 10, 1 << 20, kNever,
     Told::beside_a_driver, 3},
    {"open descriptors", "descriptors", "descriptors", true, descriptors, 0, 0.45, 1, 4, 40},
    {"threads", "threads", "threads", true, threads, 0, 0.45, 1, 4, kNever},
}};

/// Below that many calls between two readings a step proves nothing.
constexpr std::int64_t kCallsPerStep = 32;

bool steady(const Quantity& quantity, std::span<const Reading> readings) {
  if (quantity.of(readings.back().residue) - quantity.of(readings.front().residue) < quantity.steady_at_least) {
    return false;
  }
  for (std::size_t i = 1; i < readings.size(); ++i) {
    if (readings[i].calls - readings[i - 1].calls < kCallsPerStep) return false;
    if (quantity.of(readings[i].residue) - quantity.of(readings[i - 1].residue) < quantity.step) return false;
  }
  return true;
}

bool rises(const Quantity& quantity, std::span<const Reading> readings) {
  int up = 0;
  for (std::size_t i = 1; i < readings.size() && quantity.rising_steps > 0; ++i) {
    const std::int64_t step = quantity.of(readings[i].residue) - quantity.of(readings[i - 1].residue);
    if (step < 0) return false;
    up += step > 0 ? 1 : 0;
  }
  return up >= quantity.rising_steps;
}

/// What allocators, stacks and the worker itself add to what a subject asked for.
constexpr std::int64_t kBookkeepingBytes = 2 << 20;

/// A driver loads modules, streams and graphs when they are first used (CONTRACT.md, fine print on `extra`), and starts
/// threads for callbacks.
constexpr std::int64_t kDriverBytes = 64 << 20;
constexpr std::int64_t kDriverThreads = 6;
constexpr std::int64_t kBusyDriverThreads = 2;  ///< that may work beside a call

/// Beyond what the kernel's accounting and the way to a stop can add to calls of so many threads as are allowed.
constexpr std::int64_t kGreedyNs = 150'000;
constexpr std::int64_t kGreedyShare = 50;  ///< one part in so many of the time that was allowed
constexpr int kGreedyCalls = 5;
constexpr std::int64_t kGreedyTotalNs = 2'000'000;

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
  Severity severity;
  std::string_view what;
};

/// What is not listed is refused in silence: honest libraries may try it, or only the sandbox itself counts it.
constexpr std::array<Attempt, 27> kAttempts{{
    {"fork", "E3", Severity::error, "to start another process"},
    {"vfork", "E3", Severity::error, "to start another process"},
    {"clone", "E3", Severity::error, "to start another process"},
    {"execve", "E3", Severity::error, "to run another program"},
    {"execveat", "E3", Severity::error, "to run another program"},
    {"ptrace", "E6", Severity::error, "to trace a process"},
    {"kcmp", "B15", Severity::error, "to look into another process"},
    {"pidfd_getfd", "B15", Severity::error, "to take another process's descriptors"},
    {"process_vm_readv", "B15", Severity::error, "to read another process's memory"},
    {"process_vm_writev", "B17", Severity::error, "to write another process's memory"},
    {"bpf", "E6", Severity::error, "to load code into the kernel"},
    {"init_module", "E6", Severity::error, "to load code into the kernel"},
    {"finit_module", "E6", Severity::error, "to load code into the kernel"},
    {"seccomp", "E8", Severity::error, "to filter system calls of its own process"},
    {"userfaultfd", "E8", Severity::error, "to answer its own process's page faults"},
    {"unshare", "E3", Severity::note, "to enter namespaces of its own"},
    {"setns", "E3", Severity::note, "to enter another process's namespaces"},
    {"mount", "G2", Severity::note, "to mount a file system"},
    {"open_by_handle_at", "G2", Severity::note, "to open a file past its path"},
    {"perf_event_open", "C8", Severity::note, "to read hardware counters"},
    {"io_uring_setup", "G2", Severity::note, "to set up a queue of system calls"},
    {"setuid", "F7", Severity::note, "to become another user"},
    {"setresuid", "F7", Severity::note, "to become another user"},
    {"prctl", "F7", Severity::note, "to change how its process is kept"},
    {"prlimit64", "F7", Severity::note, "to change another process's limits"},
    {"syslog", "B15", Severity::note, "to read the kernel's log"},
    {"socket", "G8", Severity::note, "to reach the network"},
}};

std::string times(std::int64_t count) {
  return count == 1 ? "once" : std::to_string(count) + " times";
}

Observation attempt(const Attempt& row, std::int64_t count, const std::string& when) {
  return {"attempt",
          "",
          std::string(row.threat),
          row.severity,
          "the subject tried " + std::string(row.what) + " (" + std::string(row.name) + ", " + times(count) + ")" +
              when + "; the sandbox refused",
          {{"system_call", std::string(row.name)}, {"times", count}}};
}

/// The sandbox counts paths, not what the kernel then said: they lie outside of what it shows.
Observation opened(const std::string& name, std::int64_t count, const std::string& when) {
  return {"attempt",
          "",
          "G2",
          Severity::note,
          "the subject asked for files that are no business of a kernel (" + name + ", " + times(count) + ")" + when +
              "; the sandbox doesn't show them",
          {{"system_call", "open"}, {"path", name}, {"times", count}}};
}

}  // namespace

ResidueWatch::ResidueWatch(const Contract& contract, Residue after_load, bool driver)
    : pool_(std::max<std::int64_t>(contract.concurrency.threads, 1)),
      driver_(driver),
      baseline_(std::move(after_load)),
      contract_(contract) {}

std::int64_t ResidueWatch::allowed_threads() const {
  return baseline_.threads + pool_ + (driver_ ? kDriverThreads : 0);
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
  for (Observation& each : held(now)) found.push_back(std::move(each));
  if (now.children > baseline_.children) {
    found.push_back(residue("E3",
                            std::to_string(now.children - baseline_.children) + " child processes are left behind",
                            {{"children", now.children}}));
  }
  return found;
}

/// Beyond what the contract grants, of the host's memory and of the device's.
std::vector<Observation> ResidueWatch::held(const Residue& now) const {
  if (!contract_.memory.extra) return {};
  std::vector<Observation> found;
  const auto compare = [&](std::int64_t held, std::int64_t slack, const char* whose) {
    if (held <= granted_bytes_ + slack) return;
    found.push_back(residue("F8",
                            "the subject holds " + std::to_string(held) + " bytes" + whose +
                                " more than before its first call; memory.extra allows " +
                                std::to_string(granted_bytes_),
                            {{"held_bytes", held}, {"allowed_bytes", granted_bytes_}}));
  };
  compare(now.resident_bytes - baseline_.resident_bytes, driver_ ? kDriverBytes : kBookkeepingBytes, "");
  if (now.device_bytes && baseline_.device_bytes) {
    compare(*now.device_bytes - *baseline_.device_bytes, kDriverBytes, " of device memory");
  }
  return found;
}

void ResidueWatch::called(const AxisValues& axes) {
  if (!contract_.memory.extra) return;
  const auto granted = contract_.memory.extra->evaluate(axes);
  if (const auto* bytes = std::get_if<std::int64_t>(&granted)) granted_bytes_ = std::max(granted_bytes_, *bytes);
}

std::vector<Observation> ResidueWatch::growth(std::span<const Reading> readings) const {
  std::vector<Observation> found;
  if (readings.size() < 2) return found;
  const std::int64_t calls = readings.back().calls - readings.front().calls;
  const bool by_the_device =
      baseline_.device_bytes && std::all_of(readings.begin(), readings.end(),
                                            [](const Reading& r) { return r.residue.device_bytes.has_value(); });
  for (const Quantity& quantity : kQuantities) {
    if (quantity.told == Told::by_the_device && !by_the_device) continue;
    if (quantity.told == Told::beside_a_driver && !driver_) continue;
    const std::int64_t grown = quantity.of(readings.back().residue) - quantity.of(readings.front().residue);
    const bool steep = grown > quantity.steep_at_least &&
                       static_cast<double>(grown) > quantity.steep_per_call * static_cast<double>(calls) &&
                       rises(quantity, readings);
    const std::int64_t held = quantity.of(readings.back().residue) - quantity.of(baseline_);
    if (!steep && !steady(quantity, readings) && held < quantity.too_many) continue;
    found.push_back(residue("F3",
                            std::string(quantity.what) + " grow" + (quantity.plural ? "" : "s") +
                                " with the calls: " + std::to_string(grown) + " " + std::string(quantity.unit) +
                                " more after " + std::to_string(calls) + " calls that had all been made before, " +
                                std::to_string(held) + " more than before the first",
                            {{std::string(quantity.key), grown}, {"calls", calls}, {"held", held}}));
  }
  return found;
}

/// In a second a thread can compute and wait for a processor for one second, whatever else the machine does: what goes
/// beyond that takes more threads at the same time.
std::vector<Observation> ResidueWatch::processor_time(const Returned& returned) {
  if (!returned.wanted_ns) return {};
  const std::int64_t side_by_side = pool_ + (driver_ ? kBusyDriverThreads : 0);
  const std::int64_t beyond = *returned.wanted_ns - side_by_side * returned.wall_ns;
  if (beyond < kGreedyNs + side_by_side * returned.wall_ns / kGreedyShare) return {};
  ++greedy_calls_;
  greedy_ns_ += beyond;
  if (greedy_calls_ < kGreedyCalls || greedy_ns_ < kGreedyTotalNs) return {};
  return {residue(
      "F9",
      "calls keep more than " + std::to_string(pool_) + (pool_ == 1 ? " thread" : " threads") +
          " busy at the same time, which is what the contract allows: " + std::to_string(*returned.wanted_ns / 1000) +
          " us of processor time wanted in " + std::to_string(returned.wall_ns / 1000) + " us of wall time",
      {{"wanted_ns", *returned.wanted_ns},
       {"wall_ns", returned.wall_ns},
       {"threads", pool_},
       {"calls", std::int64_t{greedy_calls_}}})};
}

std::vector<Observation> attempts_seen(const Attempts& attempts, const std::string& when) {
  const std::string moment = when.empty() ? "" : " " + when;
  std::vector<Observation> found;
  for (const Attempt& each : kAttempts) {
    const auto it = attempts.find(std::string(each.name));
    if (it != attempts.end()) found.push_back(attempt(each, it->second, moment));
  }
  for (const auto& [name, count] : attempts) {
    if (name.starts_with("open ")) found.push_back(opened(name, count, moment));
  }
  return found;
}

}  // namespace assay
