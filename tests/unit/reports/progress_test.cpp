#include "reports/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "reports/render.h"

namespace assay::reports {
namespace {

void tell_a_story(int fd) {
  const auto progress = make_progress(fd);
  progress->started(10);
  progress->advanced(1, "calls: move-one\x1b[2J");
  progress->advanced(2, "too soon to be shown");
  progress->finished();
}

std::string available(int fd) {
  // A terminal hands its bytes on in pieces: all has come when nothing comes for a while.
  constexpr int kQuietMs = 200;
  std::string text;
  for (pollfd item{fd, POLLIN, 0}; poll(&item, 1, kQuietMs) > 0;) {
    std::array<char, 4096> bytes{};
    const ssize_t count = read(fd, bytes.data(), bytes.size());
    if (count <= 0) break;
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
  return text;
}

class Terminal : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TERM", "xterm", 1);
    master_ = posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_GE(master_, 0);
    ASSERT_EQ(grantpt(master_), 0);
    ASSERT_EQ(unlockpt(master_), 0);
    std::array<char, 64> name{};
    ASSERT_EQ(ptsname_r(master_, name.data(), name.size()), 0);
    terminal_ = open(name.data(), O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal_, 0);
  }
  void TearDown() override {
    close(terminal_);
    close(master_);
  }
  int master_ = -1, terminal_ = -1;
};

TEST_F(Terminal, ShowsOneLineAndWipesIt) {
  tell_a_story(terminal_);
  EXPECT_EQ(available(master_), "\r1 of 10 calls: move-one\\x1b[2J\x1b[K\r\x1b[K");
}

TEST_F(Terminal, ADumbOneGetsNothing) {
  setenv("TERM", "dumb", 1);
  tell_a_story(terminal_);
  EXPECT_EQ(available(master_), "");
}

TEST_F(Terminal, HasColourUnlessRefused) {
  unsetenv("NO_COLOR");
  EXPECT_TRUE(style_of(terminal_).colour);
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(style_of(terminal_).colour);
  unsetenv("NO_COLOR");
}

TEST(Pipe, GetsNothing) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  tell_a_story(ends[1]);
  EXPECT_EQ(available(ends[0]), "");
  EXPECT_FALSE(style_of(ends[1]).colour);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace assay::reports
