#include "worker/callers.h"

#include "worker/loader.h"
#include "worker/stress.h"

#include <array>
#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>

namespace assay::worker {
namespace {

using Clock = std::chrono::steady_clock;

/// Repeats are for kernels of microseconds: more of the same proves no more.
constexpr std::chrono::milliseconds kLongest{3};

}  // namespace

/// Where two threads wait until both are running at the same moment, as often as they like. That both have come isn't
/// enough: on busy processors one would be through with its call before the other is scheduled again. Each shows that
/// it runs by writing down the time; who reads a time of just now goes, and so does the other. On a single processor
/// that never happens, so patience ends.
class Meeting {
 public:
  void meet(std::size_t who) {
    const int round = ++rounds_[who];
    came_[who].store(round);
    while (came_[1 - who].load() < round) std::this_thread::yield();
    const auto last = Clock::now() + kPatience;
    auto now = Clock::now();
    for (auto rest = now + kSpin; went_.load() < round && now < last; now = Clock::now()) {
      beats_[who].store(now.time_since_epoch().count());
      if (now.time_since_epoch() - Clock::duration(beats_[1 - who].load()) < kJustNow) break;
      if (now < rest) continue;
      std::this_thread::yield();
      rest = Clock::now() + kSpin;
    }
    went_.store(round);
  }

 private:
  static constexpr std::chrono::milliseconds kPatience{20};
  static constexpr std::chrono::microseconds kSpin{200};  ///< then the other may need this processor
  static constexpr std::chrono::nanoseconds kJustNow{500};
  std::array<int, 2> rounds_{};  ///< each thread's own
  std::array<std::atomic<int>, 2> came_{};
  std::array<std::atomic<Clock::rep>, 2> beats_{};
  std::atomic<int> went_{0};
};

namespace {

/// The last call is the one that is looked at: where there is a meeting, it begins there.
std::uint64_t repeat(abi::CCall& function, const protocol::Call& call, std::span<const std::uint64_t> slots,
                     std::uint64_t& made, std::size_t caller, Meeting* meeting) {
  std::uint64_t value = function(slots);
  made = 1;
  if (call.repeats <= 1) return value;
  const std::uint64_t before_last = meeting ? call.repeats - 1 : call.repeats;
  for (const auto end = Clock::now() + kLongest; made < before_last && Clock::now() < end; ++made) {
    value = function(slots);
  }
  if (!meeting) return value;
  meeting->meet(caller);
  ++made;
  return function(slots);
}

}  // namespace

Callers::Callers(void* function, const protocol::Load& wanted, Station& station)
    : station_(station), stream_(wanted.stream) {
  for (std::size_t i = 0; i < protocol::kMaxCallers; ++i) calls_.push_back(make_call(function, wanted));
}

void Callers::make(const protocol::Call& call, protocol::Returned& reply) {
  const auto stress = static_cast<protocol::Stress>(call.stress);
  if (stress == protocol::Stress::none) return make_together(call, reply);
  const StressGuard guard(stress);
  make_together(call, reply);
}

void Callers::keep(const protocol::Slots& slots, protocol::Kept& reply) {
  slots_.keep(slots);
  reply.number = slots_.known();
}

/// With a stream of its own, if the function takes one, and with the wait for its work.
std::uint64_t Callers::run(std::size_t caller, const protocol::Call& call, std::uint64_t& made, int& device_error,
                           Meeting* meeting) {
  std::array<std::uint64_t, protocol::kMaxArgs> args = call.args[caller];
  const auto choice = static_cast<StreamChoice>(call.streams[caller]);
  std::uint64_t stream = 0;
  if (stream_ != protocol::kNoStream && choice != StreamChoice::device_default) {
    stream = args.at(stream_) = station_.stream(choice);
  }
  const std::uint64_t value = repeat(*calls_[caller], call, std::span(args).first(call.count), made, caller, meeting);
  device_error = station_.finish(choice, stream);
  return value;
}

/// Both threads meet before they start, or the first would be through before the second exists, and again before the
/// call that is looked at: on busy processors they had drifted apart by then.
void Callers::make_together(const protocol::Call& call, protocol::Returned& reply) {
  std::array<int, protocol::kMaxCallers> errors{};
  const auto tell = [&] { reply.device_error = static_cast<std::uint32_t>(errors[0] != 0 ? errors[0] : errors[1]); };
  if (call.callers < 2) {
    reply.values[0] = run(0, call, reply.made, errors[0]);
    return tell();
  }
  Meeting meeting;
  std::uint64_t made = 0;
  std::thread second;
  try {
    second = std::thread([&] {
      station_.enter();
      meeting.meet(1);
      reply.values[1] = run(1, call, made, errors[1], &meeting);
    });
  } catch (const std::system_error&) {  // the subject has used up the threads: one after the other, then
    reply.values[0] = run(0, call, reply.made, errors[0]);
    reply.values[1] = run(1, call, made, errors[1]);
    return tell();
  }
  meeting.meet(0);
  reply.values[0] = run(0, call, reply.made, errors[0], &meeting);
  second.join();
  tell();
}

}  // namespace assay::worker
