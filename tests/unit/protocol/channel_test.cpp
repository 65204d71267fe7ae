#include "protocol/channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <thread>

namespace assay::protocol {
namespace {

using namespace std::chrono_literals;

struct Pair {
  Pair() { std::tie(judge, worker) = make_channel(); }
  ~Pair() {
    ::close(judge);
    if (worker >= 0) ::close(worker);
  }
  void hang_up() {
    ::close(worker);
    worker = -1;
  }
  int judge = -1, worker = -1;
  Message message;
};

bool exists(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

TEST(Channel, CarriesRecordsAndDescriptors) {
  Pair pair;
  const int file = ::memfd_create("file", MFD_CLOEXEC);
  ASSERT_FALSE(send_record(pair.judge, make<File>(3), std::span(&file, 1)));
  std::vector<int> fds;
  ASSERT_FALSE(receive_with_fds(pair.worker, pair.message, fds));
  ASSERT_EQ(fds.size(), 1U);
  EXPECT_TRUE(exists(fds[0]));
  EXPECT_TRUE(std::holds_alternative<File>(decode<File>(pair.message.bytes(), 3)));
  ::close(fds[0]);
  ::close(file);
}

TEST(Channel, TheJudgeTakesNoDescriptors) {
  Pair pair;
  const int file = ::memfd_create("file", MFD_CLOEXEC);
  const int next = ::dup(file);
  ::close(next);
  ASSERT_FALSE(send_record(pair.worker, make<End>(), std::span(&file, 1)));
  ASSERT_FALSE(receive(pair.judge, pair.message, Clock::now() + 1s));
  EXPECT_FALSE(exists(next)) << "a descriptor came along";
  ::close(file);
}

TEST(Channel, TimesOutAndEnds) {
  Pair pair;
  const auto start = Clock::now();
  const auto late = receive(pair.judge, pair.message, start + 30ms);
  ASSERT_TRUE(late && std::holds_alternative<TimedOut>(*late));
  EXPECT_GE(Clock::now() - start, 29ms);
  pair.hang_up();
  const auto closed = receive(pair.judge, pair.message, Clock::now() + 1s);
  ASSERT_TRUE(closed && std::holds_alternative<Closed>(*closed));
  EXPECT_TRUE(send_record(pair.judge, make<End>()));
}

TEST(Channel, SeesLongMessagesAsLong) {
  Pair pair;
  const std::vector<std::byte> junk(kBufferBytes + 5000, std::byte{'x'});
  ASSERT_FALSE(send_bytes(pair.worker, junk));
  ASSERT_FALSE(receive(pair.judge, pair.message, Clock::now() + 1s));
  EXPECT_TRUE(std::holds_alternative<Violation>(decode<Facts>(pair.message.bytes(), 0)));
}

TEST(Channel, NeverBlocksOnAFullOne) {
  Pair pair;
  std::optional<SendProblem> problem;
  for (int i = 0; i < 100000 && !problem; ++i) problem = send_record(pair.judge, make<Call>());
  ASSERT_TRUE(problem);
  EXPECT_TRUE(std::holds_alternative<Full>(*problem));
}

TEST(Channel, ShowsWhatNobodyAskedFor) {
  Pair pair;
  EXPECT_FALSE(anything_waiting(pair.judge));
  ASSERT_FALSE(send_record(pair.worker, make<End>()));
  EXPECT_TRUE(anything_waiting(pair.judge));
}

}  // namespace
}  // namespace assay::protocol
