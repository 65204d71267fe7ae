#include "worker/stress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#include "threads.h"

namespace assay::worker {
namespace {

using protocol::Stress;
using testing::NoMoreThreads;
using testing::threads;

cpu_set_t affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

bool same(const cpu_set_t& one, const cpu_set_t& other) {
  return CPU_EQUAL(&one, &other);
}

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Whether this process used `seconds` of processor time while its first thread slept. Gives up after some seconds.
bool others_work(double seconds) {
  const double start = processor_seconds();
  for (int turn = 0; turn < 1000 && processor_seconds() - start < seconds; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return processor_seconds() - start >= seconds;
}

TEST(StressGuard, NoneChangesNothing) {
  const cpu_set_t before = affinity();
  const std::size_t count = threads().size();
  const StressGuard guard(Stress::none);
  EXPECT_EQ(threads().size(), count);
  EXPECT_TRUE(same(affinity(), before));
}

TEST(StressGuard, ACrowdIsBusyOnEveryProcessorUntilItsEnd) {
  const cpu_set_t before = affinity();
  const std::size_t count = threads().size();
  {
    const StressGuard guard(Stress::crowded);
    EXPECT_EQ(threads().size(), count + static_cast<std::size_t>(std::min(CPU_COUNT(&before), 4)));
    EXPECT_TRUE(same(affinity(), before));
    EXPECT_TRUE(others_work(0.05));
  }
  EXPECT_EQ(threads().size(), count);
}

TEST(StressGuard, CrampedThreadsShareOneProcessorUntilItsEnd) {
  const cpu_set_t before = affinity();
  const std::size_t count = threads().size();
  {
    const StressGuard guard(Stress::cramped);
    const cpu_set_t inside = affinity();
    EXPECT_EQ(CPU_COUNT(&inside), 1);
    cpu_set_t inherited{};
    std::thread([&] { inherited = affinity(); }).join();
    EXPECT_TRUE(same(inherited, inside));
    EXPECT_EQ(threads().size(), count);
  }
  EXPECT_TRUE(same(affinity(), before));
}

TEST(StressGuard, WithoutThreadsThereIsNoCrowdAndNoFault) {
  const std::size_t count = threads().size();
  const NoMoreThreads none;
  const StressGuard guard(Stress::crowded);
  EXPECT_EQ(threads().size(), count);
}

}  // namespace
}  // namespace assay::worker
