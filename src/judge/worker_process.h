#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/contract.h"
#include "device/device.h"
#include "judge/worker.h"
#include "protocol/channel.h"
#include "protocol/record.h"
#include "sandbox/launch.h"
#include "sandbox/layers.h"
#include "sandbox/leash.h"
#include "sandbox/surroundings.h"

namespace assay {

/// A sealed memory file and the name that it has beside the subject.
struct LentFile {
  std::string name;  ///< without slashes
  int fd = -1;       ///< sandbox::sealed_copy(); not owned
};

/// What to run and how. Descriptors stay the caller's and must outlive the worker.
struct WorkerSpec {
  int image = -1;                                       ///< sandbox::worker_image()
  std::vector<LentFile> files;                          ///< the subject, then its `with` files
  Entry entry;                                          ///< symbol, argument types and returned type
  protocol::Builtin builtin = protocol::Builtin::none;  ///< else this is called in place of the symbol
  std::int64_t threads = 1;
  std::int64_t memory_bytes = std::int64_t{4} << 30;  ///< that the subject may allocate
  std::vector<std::string> hidden;  ///< real paths that must not be open to the subject even where system folders are
  sandbox::Surroundings surroundings = sandbox::Surroundings::usual;
  const Device* device = nullptr;  ///< nothing: the CPU. Must outlive the worker
  sandbox::Layers layers;          ///< sandbox::examine_machine().layers, or fewer
  double load_deadline_s = 10.0;
  double map_deadline_s = 10.0;
  bool stop_through_init = false;  ///< as it is done where /proc doesn't show the worker to the judge
  bool stop_between_calls = true;  ///< false only to measure what stopping costs
};

/// Theory of operation
/// -------------------
/// Launches assay-worker (see worker/launcher.h for its three processes) and speaks both protocols. A call is sent
/// while the worker is stopped, then the worker is let go on; the reply is awaited on its socket until the deadline;
/// then it is stopped, and only once every thread is known to stand still does the call count as returned. Nothing but
/// the awaited record may have come by then. A worker of few threads is stopped by the judge itself (sandbox/leash.h),
/// one of many by init, which asks the kernel about all of them at once. Whatever ends the worker is turned into one
/// Ended, which all later calls repeat; the processes are gone before it is returned. A failure of launcher or init is
/// ours: it throws Error. Use from one thread, which must outlive the worker (sandbox/launch.h).
class WorkerProcess : public Worker {
 public:
  /// Most replies of small kernels come within this time; waking up would cost more than it saves.
  static constexpr std::chrono::nanoseconds kSpin = std::chrono::microseconds(30);

  explicit WorkerProcess(WorkerSpec spec);
  ~WorkerProcess() override;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  std::variant<Loaded, LoadFailure> load() override;
  std::optional<Ended> map(std::span<const Mapping> mappings) override;
  CallOutcome call(const Invocation& invocation, double deadline_s) override;
  std::optional<Ended> keep(std::span<const Registers> slots, std::size_t arguments) override;
  BurstOutcome burst(std::span<const std::uint16_t> order, double deadline_s) override;
  Residue residue(bool full) override;
  Attempts attempts() override;
  void linger(double seconds) override;
  void end() override;
  int process() const override { return leash_ ? leash_->process() : -1; }

  /// Process id of the launcher, for tests; -1 when nothing runs.
  pid_t launcher() const { return launched_.pid; }

 private:
  using Clock = protocol::Clock;
  void send_plan();
  int patience_ms() const;
  std::optional<Ended> settle(Clock::time_point deadline, double seconds);
  std::optional<Ended> device_failed(std::uint32_t error);
  void send_load();
  void await_begun(Clock::time_point deadline);
  std::variant<Loaded, LoadFailure> judge_load_reply(const protocol::Message& message, Clock::time_point start);
  LoadFailure died_in_load(Ended end);
  std::optional<std::int64_t> wanted_ns() const;
  std::optional<std::int64_t> cpu_ns() const;
  std::optional<Ended> map_some(std::span<const Mapping> mappings);

  /// Sends to the worker, lets it run, awaits one message until the deadline.
  std::optional<Ended> exchange(std::span<const std::byte> record, std::span<const int> fds, Clock::time_point deadline,
                                double seconds, protocol::Message& reply, std::chrono::nanoseconds spin = kSpin);
  std::optional<Ended> pause();
  std::optional<Ended> stop();
  std::optional<Ended> unasked();
  void resume();

  protocol::State ask_state(protocol::Ask ask, std::uint32_t wait_ms = 0);
  template <class Record>
  Record ask(protocol::Ask ask, std::uint32_t wait_ms, int patience_ms);
  void send_command(protocol::Ask ask, std::uint64_t sequence, std::uint32_t wait_ms);
  [[noreturn]] void keeper_failed(const std::string& what);

  Ended gone();
  Ended finish(Ended end);
  void bury();
  void collect_attempts();

  WorkerSpec spec_;
  sandbox::UniqueFd control_, calls_;
  sandbox::Launched launched_;
  std::unique_ptr<protocol::Message> message_;
  std::uint64_t sequence_ = 0;  ///< of load and map records
  std::uint64_t control_sequence_ = 0;
  std::optional<Ended> ended_;
  std::optional<sandbox::Leash> leash_;
  enum class Stop : std::uint8_t { none, by_judge, by_init };
  Stop stopped_ = Stop::none;
  Attempts attempts_;
  std::map<std::string, std::string> own_word_;
};

}  // namespace assay
