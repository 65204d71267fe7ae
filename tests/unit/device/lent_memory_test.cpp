#include "device/lent_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "core/error.h"
#include "device/cpu/arena.h"

namespace assay {
namespace {

int mapping_error(int fd, int protection) {
  void* place = ::mmap(nullptr, 4096, protection, MAP_SHARED, fd, 0);
  if (place == MAP_FAILED) return errno;
  ::munmap(place, 4096);
  return 0;
}

TEST(LentMemory, IsWholePages) {
  EXPECT_EQ(LentMemory(1, Lending::writable).bytes(), page_bytes());
  EXPECT_EQ(LentMemory(0, Lending::writable).bytes(), page_bytes());
  EXPECT_EQ(LentMemory(page_bytes() + 1, Lending::writable).bytes(), 2 * page_bytes());
  EXPECT_THROW(LentMemory(-1, Lending::writable), Error);
  EXPECT_THROW(LentMemory(INT64_MAX, Lending::writable), Error);
}

TEST(LentMemory, ReadOnlyIsHardButForTheOwner) {
  const LentMemory lent(4096, Lending::read_only);
  EXPECT_EQ(mapping_error(lent.fd(), PROT_READ), 0);
  EXPECT_EQ(mapping_error(lent.fd(), PROT_READ | PROT_WRITE), EPERM);
  const int again = ::open(("/proc/self/fd/" + std::to_string(lent.fd())).c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(again, 0);
  EXPECT_EQ(mapping_error(again, PROT_READ | PROT_WRITE), EPERM);
  EXPECT_EQ(::pwrite(again, "x", 1, 0), -1);
  EXPECT_EQ(::fallocate(again, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), -1);
  ::close(again);
  *lent.data() = std::byte{7};
  char seen = 0;
  EXPECT_EQ(::pread(lent.fd(), &seen, 1, 0), 1);
  EXPECT_EQ(seen, 7);
}

TEST(LentMemory, WritableCantChangeItsSize) {
  const LentMemory lent(4096, Lending::writable);
  EXPECT_EQ(mapping_error(lent.fd(), PROT_READ | PROT_WRITE), 0);
  EXPECT_EQ(::ftruncate(lent.fd(), 0), -1);
  EXPECT_EQ(::ftruncate(lent.fd(), 8192), -1);
  EXPECT_EQ(::fcntl(lent.fd(), F_ADD_SEALS, F_SEAL_WRITE), -1) << "the borrower could seal the judge out";
}

TEST(LentMemory, Moves) {
  LentMemory first(4096, Lending::writable);
  std::byte* data = first.data();
  LentMemory second(std::move(first));
  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(first.data(), nullptr);
  first = std::move(second);
  EXPECT_EQ(first.data(), data);
}

TEST(Arena, MapsInsideOnly) {
  Arena arena(std::uint64_t{1} << 36);
  const LentMemory lent(8192, Lending::writable);
  *lent.data() = std::byte{42};
  EXPECT_EQ(arena.map(arena.start() + 4096, 8192, lent.fd(), true), 0);
  auto* seen = reinterpret_cast<volatile unsigned char*>(arena.start() + 4096);
  EXPECT_EQ(*seen, 42);
  *seen = 43;
  EXPECT_EQ(*lent.data(), std::byte{43});
  EXPECT_EQ(arena.map(arena.start() + 4096, 8192, -1, false), 0);
  EXPECT_EQ(::madvise(reinterpret_cast<void*>(arena.start() + 4096), 4096, MADV_POPULATE_READ), -1) << "still readable";
  EXPECT_EQ(arena.map(arena.start() - 4096, 8192, lent.fd(), true), EINVAL);
  EXPECT_EQ(arena.map(arena.start() + arena.bytes() - 4096, 8192, lent.fd(), true), EINVAL);
  EXPECT_EQ(arena.map(arena.start() + 1, 4096, lent.fd(), true), EINVAL);
  EXPECT_EQ(arena.map(arena.start(), ~std::uint64_t{4095}, lent.fd(), true), EINVAL);
  EXPECT_EQ(arena.map(arena.start(), 0, lent.fd(), true), EINVAL);
}

TEST(Arena, IsSomewhereElseEachTime) {
  const Arena first(std::uint64_t{1} << 36);
  const Arena second(std::uint64_t{1} << 36);
  EXPECT_NE(first.start(), second.start());
  EXPECT_THROW(Arena(1), Error);
}

}  // namespace
}  // namespace assay
