#include "worker/callers.h"

#include "worker/loader.h"
#include "worker/stress.h"

#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>

namespace assay::worker {
namespace {

using Clock = std::chrono::steady_clock;

/// Repeats are for kernels of microseconds: more of the same proves no more.
constexpr std::chrono::milliseconds kLongest{3};

std::uint64_t repeat(abi::CCall& function, const protocol::Call& call, std::span<const std::uint64_t> slots,
                     std::uint64_t& made) {
  std::uint64_t value = function(slots);
  made = 1;
  if (call.repeats <= 1) return value;
  for (const auto end = Clock::now() + kLongest; made < call.repeats && Clock::now() < end; ++made) {
    value = function(slots);
  }
  return value;
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
std::uint64_t Callers::run(std::size_t caller, const protocol::Call& call, std::uint64_t& made, int& device_error) {
  std::array<std::uint64_t, protocol::kMaxArgs> args = call.args[caller];
  const auto choice = static_cast<StreamChoice>(call.streams[caller]);
  std::uint64_t stream = 0;
  if (stream_ != protocol::kNoStream && choice != StreamChoice::device_default) {
    stream = args.at(stream_) = station_.stream(choice);
  }
  const std::uint64_t value = repeat(*calls_[caller], call, std::span(args).first(call.count), made);
  device_error = station_.finish(choice, stream);
  return value;
}

/// Both threads meet before they start, or the first would be through before the second exists.
void Callers::make_together(const protocol::Call& call, protocol::Returned& reply) {
  std::array<int, protocol::kMaxCallers> errors{};
  const auto tell = [&] { reply.device_error = static_cast<std::uint32_t>(errors[0] != 0 ? errors[0] : errors[1]); };
  if (call.callers < 2) {
    reply.values[0] = run(0, call, reply.made, errors[0]);
    return tell();
  }
  std::atomic<int> here{0};
  const auto meet = [&here] {
    ++here;
    while (here < 2) std::this_thread::yield();
  };
  std::uint64_t made = 0;
  std::thread second;
  try {
    second = std::thread([&] {
      station_.enter();
      meet();
      reply.values[1] = run(1, call, made, errors[1]);
    });
  } catch (const std::system_error&) {  // the subject has used up the threads: one after the other, then
    reply.values[0] = run(0, call, reply.made, errors[0]);
    reply.values[1] = run(1, call, made, errors[1]);
    return tell();
  }
  meet();
  reply.values[0] = run(0, call, reply.made, errors[0]);
  second.join();
  tell();
}

}  // namespace assay::worker
