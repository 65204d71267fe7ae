#include "worker/callers.h"

#include <gtest/gtest.h>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <mutex>
#include <thread>

#include "core/contract.h"
#include "threads.h"

namespace assay::worker {
namespace {

using namespace std::chrono_literals;
using testing::NoMoreThreads;
using testing::threads;

using Subject = std::int64_t (*)(std::int64_t);

void* address(Subject subject) {
  void* object = nullptr;
  std::memcpy(&object, &subject, sizeof object);
  return object;
}

/// A device without memory to map: calls are over when they return.
struct Host : Station {
  std::uintptr_t start() const override { return 0; }
  std::uint64_t bytes() const override { return 0; }
  int map(std::uintptr_t, std::uint64_t, int, bool) override { return EINVAL; }
};

/// What `call` of a subject with one integer for each caller replies.
protocol::Returned reply_to(Subject subject, const protocol::Call& call) {
  auto wanted = protocol::make<protocol::Load>();
  wanted.count = 1;
  wanted.types[0] = static_cast<std::uint8_t>(CType::i64);
  wanted.return_type = static_cast<std::uint8_t>(CType::i64);
  auto reply = protocol::make<protocol::Returned>();
  Host station;
  Callers(address(subject), wanted, station).make(call, reply);
  return reply;
}

protocol::Call call_with(std::uint64_t first) {
  auto call = protocol::make<protocol::Call>();
  call.count = 1;
  call.args[0][0] = first;
  return call;
}

protocol::Call pair_with(std::uint64_t first, std::uint64_t second) {
  protocol::Call call = call_with(first);
  call.callers = 2;
  call.args[1][0] = second;
  return call;
}

std::int64_t negative(std::int64_t value) {
  return -value;
}

int entered = 0;

std::int64_t counts(std::int64_t value) {
  return value + ++entered;
}

std::int64_t takes_a_millisecond(std::int64_t value) {
  std::this_thread::sleep_for(1ms);
  return value;
}

std::array<std::atomic<bool>, 2> inside;

/// 1: the other caller was in a call at the same time. Waits for it for some seconds.
std::int64_t waits_for_the_other(std::int64_t self) {
  inside[static_cast<std::size_t>(self)] = true;
  const auto& other = inside[static_cast<std::size_t>(1 - self)];
  for (int turn = 0; turn < 5000 && !other; ++turn) std::this_thread::sleep_for(1ms);
  return other ? 1 : 0;
}

/// Whether the kernel ever took the thread off a processor: one that has not run yet was never on one.
bool never_ran(const std::string& thread) {
  std::ifstream status("/proc/self/task/" + thread + "/status");
  std::int64_t switches = 0;
  bool read = false;
  for (std::string line; std::getline(status, line);) {
    if (line.find("ctxt_switches:") == std::string::npos) continue;
    read = true;
    switches += std::stol(line.substr(line.find(':') + 1));
  }
  return read && switches == 0;
}

/// For caller 0: 1 if another thread exists that has not run yet.
std::int64_t is_too_early(std::int64_t self) {
  if (self != 0) return 0;
  const std::vector<std::string> all = threads();
  return std::any_of(all.begin(), all.end(),
                     [](const std::string& thread) { return std::stol(thread) != ::gettid() && never_ran(thread); });
}

std::mutex lock;
std::vector<std::int64_t> order;

std::int64_t notes_order(std::int64_t value) {
  const std::lock_guard hold(lock);
  order.push_back(value);
  return value;
}

std::int64_t counts_threads(std::int64_t) {
  return static_cast<std::int64_t>(threads().size());
}

/// The thread that makes it and its children stay on one processor as long as it lives.
class OneProcessor {
 public:
  OneProcessor() {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { ::sched_setaffinity(0, sizeof before_, &before_); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t before_{};
};

TEST(Callers, APlainCallIsMadeOnce) {
  entered = 0;
  const protocol::Returned reply = reply_to(counts, call_with(10));
  EXPECT_EQ(reply.values[0], 11u);
  EXPECT_EQ(reply.made, 1u);
  EXPECT_EQ(entered, 1);
}

/// Repeats end early where a busy machine takes the processor away meanwhile: not every time, then.
TEST(Callers, ShortCallsAreMadeAsOftenAsAskedFor) {
  protocol::Call call = call_with(10);
  call.repeats = 5;
  std::uint64_t most = 0;
  for (int turn = 0; turn < 100 && most < 5; ++turn) {
    entered = 0;
    const protocol::Returned reply = reply_to(counts, call);
    ASSERT_EQ(reply.made, static_cast<std::uint64_t>(entered));
    ASSERT_EQ(reply.values[0], 10 + reply.made);  // of the last one
    most = reply.made;
  }
  EXPECT_EQ(most, 5u);
}

TEST(Callers, RepeatsEndAfterMilliseconds) {
  protocol::Call call = call_with(7);
  call.repeats = protocol::kMaxRepeats;
  const protocol::Returned reply = reply_to(takes_a_millisecond, call);
  EXPECT_EQ(reply.values[0], 7u);
  EXPECT_GE(reply.made, 1u);
  EXPECT_LE(reply.made, 4u);  // one, and those that begin within 3 ms
}

TEST(Callers, TwoCallersEachHaveTheirOwnArgumentsAndResult) {
  const protocol::Returned reply = reply_to(negative, pair_with(3, 40));
  EXPECT_EQ(static_cast<std::int64_t>(reply.values[0]), -3);
  EXPECT_EQ(static_cast<std::int64_t>(reply.values[1]), -40);
}

TEST(Callers, TwoCallersAreInsideAtTheSameTime) {
  inside[0] = inside[1] = false;
  const protocol::Returned reply = reply_to(waits_for_the_other, pair_with(0, 1));
  EXPECT_EQ(reply.values[0], 1u);
  EXPECT_EQ(reply.values[1], 1u);
}

/// On one processor a first caller that doesn't wait is through before the second has run at all.
TEST(Callers, TheFirstStartsWhenTheSecondIsThere) {
  const OneProcessor one;
  for (int turn = 0; turn < 50; ++turn) {
    ASSERT_EQ(reply_to(is_too_early, pair_with(0, 1)).values[0], 0u) << turn;
  }
}

TEST(Callers, BothCallersRepeat) {
  protocol::Call call = pair_with(1, 2);
  call.repeats = 3;
  bool both = false;
  for (int turn = 0; turn < 100 && !both; ++turn) {
    order.clear();
    const protocol::Returned reply = reply_to(notes_order, call);
    const auto first = static_cast<std::uint64_t>(std::count(order.begin(), order.end(), 1));
    const auto second = static_cast<std::uint64_t>(std::count(order.begin(), order.end(), 2));
    ASSERT_EQ(reply.made, first);
    both = first == 3 && second == 3;
  }
  EXPECT_TRUE(both);
}

TEST(Callers, WithoutThreadsTheyCallOneAfterTheOther) {
  order.clear();
  const NoMoreThreads none;
  const protocol::Returned reply = reply_to(notes_order, pair_with(8, 9));
  EXPECT_EQ(reply.values[0], 8u);
  EXPECT_EQ(reply.values[1], 9u);
  EXPECT_EQ(reply.made, 1u);
  EXPECT_EQ(order, (std::vector<std::int64_t>{8, 9}));
}

TEST(Callers, OtherThreadsCrowdACallOnlyIfItSaysSo) {
  protocol::Call call = call_with(0);
  const std::uint64_t plain = reply_to(counts_threads, call).values[0];
  call.stress = static_cast<std::uint32_t>(protocol::Stress::crowded);
  EXPECT_GT(reply_to(counts_threads, call).values[0], plain);
  EXPECT_EQ(threads().size(), plain);
}

}  // namespace
}  // namespace assay::worker
