#include "worker/stress.h"

#include <algorithm>
#include <system_error>

namespace assay::worker {
namespace {

/// More of them prove no more, and the sandbox bounds threads.
constexpr int kMostBusy = 4;

}  // namespace

StressGuard::StressGuard(protocol::Stress stress) {
  if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  switch (stress) {
    case protocol::Stress::none:
      break;
    case protocol::Stress::crowded:
      crowd(std::min(CPU_COUNT(&before_), kMostBusy));
      break;
    case protocol::Stress::cramped:
      cramp();
      break;
  }
}

StressGuard::~StressGuard() {
  over_ = true;
  for (std::thread& thread : crowd_) thread.join();
  if (cramped_) ::sched_setaffinity(0, sizeof before_, &before_);
}

void StressGuard::crowd(int threads) {
  try {
    for (int i = 0; i < threads; ++i) {
      crowd_.emplace_back([this] {
        while (!over_) {
        }
      });
    }
  } catch (const std::system_error&) {  // fewer, then
  }
}

void StressGuard::cramp() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(std::max(::sched_getcpu(), 0), &one);
  cramped_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
}

}  // namespace assay::worker
