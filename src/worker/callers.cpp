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

std::uint64_t repeat(abi::CCall& function, const protocol::Call& call, std::size_t caller, std::uint64_t& made) {
  const std::span slots(call.args[caller].data(), call.count);
  std::uint64_t value = function(slots);
  made = 1;
  if (call.repeats <= 1) return value;
  for (const auto end = Clock::now() + kLongest; made < call.repeats && Clock::now() < end; ++made) {
    value = function(slots);
  }
  return value;
}

}  // namespace

Callers::Callers(void* function, const protocol::Load& wanted) {
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

/// Both threads meet before they start, or the first would be through before the second exists.
void Callers::make_together(const protocol::Call& call, protocol::Returned& reply) {
  if (call.callers < 2) {
    reply.values[0] = repeat(*calls_[0], call, 0, reply.made);
    return;
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
      meet();
      reply.values[1] = repeat(*calls_[1], call, 1, made);
    });
  } catch (const std::system_error&) {  // the subject has used up the threads: one after the other, then
    reply.values[0] = repeat(*calls_[0], call, 0, reply.made);
    reply.values[1] = repeat(*calls_[1], call, 1, made);
    return;
  }
  meet();
  reply.values[0] = repeat(*calls_[0], call, 0, reply.made);
  second.join();
}

}  // namespace assay::worker
