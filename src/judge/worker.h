#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/call.h"
#include "device/station.h"

/// The judge's view of one worker: an interface, so that the judge can be tested with recording fakes.
namespace assay {

/// How a worker's life ended, as the kernel and the judge's own clock told it.
enum class EndKind : std::uint8_t {
  exited,     ///< exit or _exit by the subject; `code` is the status
  signalled,  ///< `code` is the signal
  deadline,   ///< no reply in time; killed by the judge
  protocol,   ///< a record that no honest worker sends; killed by the judge
  device,     ///< the device refuses to go on after an error of the call's; `code` is the device's own; killed by the
              ///< judge
  ended,      ///< at the judge's request
};

struct Ended {
  EndKind kind = EndKind::ended;
  int code = 0;
  std::string what;  ///< for a person: "SIGSEGV at address 0x…", "no reply within 10 s"
};

/// System calls that the sandbox refused, by name, since the last time they were asked for.
using Attempts = std::map<std::string, std::int64_t>;

/// Why a subject could not be loaded, by cause, so that each has its own message.
enum class LoadFailureKind : std::uint8_t { not_loadable, missing_symbol, died };

struct LoadFailure {
  LoadFailureKind kind = LoadFailureKind::not_loadable;
  std::string what;               ///< the loader's own words
  std::vector<std::string> near;  ///< exported symbols close to the one that is missing
  std::optional<Ended> end;       ///< died: how
  Attempts attempts = {};         ///< while it was loaded
};

struct Loaded {
  std::uintptr_t arena = 0;  ///< start of the reserved, unmapped range in the worker where lent memory goes
  std::uint64_t arena_bytes = 0;
  double seconds = 0.0;    ///< spawn to ready
  Attempts attempts = {};  ///< while it was loaded: constructors run then
};

/// Lent memory at a fixed address of the worker's arena. Pages around it stay unmapped.
struct Mapping {
  std::uintptr_t address = 0;  ///< page-aligned, inside the arena
  std::uint64_t bytes = 0;     ///< whole pages
  int fd = -1;                 ///< memfd; -1: unmap the range again
  bool writable = false;
};

inline constexpr std::size_t kMaxArguments = 64;

/// One call: raw 64-bit register slots in the order of Entry::args (floats by bit pattern in the low half).
struct Invocation {
  std::uint64_t sequence = 0;
  std::size_t count = 0;
  std::array<std::uint64_t, kMaxArguments> args{};
  std::optional<std::array<std::uint64_t, kMaxArguments>> beside = {};  ///< of a second call, made at the same time
  std::uint32_t repeats = 1;
  Stress stress = Stress::none;
  std::array<StreamChoice, 2> streams{};  ///< of the call and of the one beside it, where the entry takes a stream
  /// Called by the judge the moment the reply is in, before the worker is stopped; may be empty.
  std::function<void()> at_reply = {};
};

/// The subject returned. `value` is the raw returned register, for ReturnKind::nothing meaningless.
struct Returned {
  std::uint64_t value = 0;
  std::int64_t wall_ns = 0;  ///< judge's clock: call sent to worker stopped
  std::uint64_t beside = 0;  ///< raw returned register of the call beside this one
  std::int64_t made = 1;     ///< the worker's word: how often the call was made
  /// By the kernel: processor time of all the worker's threads meanwhile, and the time that the first of them was ready
  /// and had no processor. On a busy machine the second tells that threads ran side by side where the first can't.
  std::optional<std::int64_t> wanted_ns = {};
};

using CallOutcome = std::variant<Returned, Ended>;

using Registers = std::array<std::uint64_t, kMaxArguments>;

/// Every call of a burst returned.
struct Finished {
  std::vector<std::uint64_t> values;        ///< raw returned registers, in the order of the calls
  std::int64_t wall_ns = 0;                 ///< judge's clock: order sent to worker stopped
  std::int64_t replied_ns = 0;              ///< judge's clock: order sent to answer read; then its threads are stopped
  std::int64_t told_ns = 0;                 ///< the worker's word: first call to last return
  std::optional<std::int64_t> cpu_ns = {};  ///< by the kernel: processor time of all its threads meanwhile
  std::int64_t waited_ns = 0;               ///< by the kernel: its first thread was ready and had no processor
};

using BurstOutcome = std::variant<Finished, Ended>;

/// What a call left behind. The kernel's word unless marked. The cheap part is read after every call, the rest on
/// request.
struct Residue {
  std::int64_t threads = 0;
  std::int64_t resident_bytes = 0;
  std::int64_t cpu_ns = 0;                        ///< processor time of the whole worker so far
  std::optional<std::int64_t> device_bytes = {};  ///< device memory of the worker, where that can be told
  bool full = false;
  std::int64_t children = 0;
  std::int64_t mappings = 0, mapped_bytes = 0;
  std::int64_t shared_bytes = 0;  ///< resident of files and of what a driver pinned; on the CPU lent memory too
  std::map<int, std::string> descriptors;  ///< number → what it points to
  std::map<std::string, std::string>
      state;  ///< "working directory", "affinity", "signal handlers", "limits", "priority", … → value
  std::map<std::string, std::string>
      own_word;  ///< worker's word (strength M): "mxcsr", "x87 control word", "environment"
};

/// A process of its own that holds one subject. Between calls it is stopped.
class Worker {
 public:
  virtual ~Worker() = default;
  virtual std::variant<Loaded, LoadFailure> load() = 0;
  virtual std::optional<Ended> map(std::span<const Mapping> mappings) = 0;
  /// Lets the worker go on, sends the call, waits for the reply until the deadline, stops the worker again.
  virtual CallOutcome call(const Invocation& invocation, double deadline_s) = 0;
  /// Tells the arguments of all slots, in the order of their numbers; those told before are forgotten.
  virtual std::optional<Ended> keep(std::span<const Registers> slots, std::size_t arguments) = 0;
  /// As `call`, with the calls of `order` one after the other.
  virtual BurstOutcome burst(std::span<const std::uint16_t> order, double deadline_s) = 0;
  virtual Residue residue(bool full) = 0;
  virtual Attempts attempts() = 0;
  /// Lets the idle worker run for a while and stops it again: work that goes on after a reply gets the time to show.
  virtual void linger(double /*seconds*/) {}
  virtual void end() = 0;
  /// Of the process that holds the subject, as this machine counts; -1: not known.
  virtual int process() const { return -1; }
};

}  // namespace assay
