#include "sandbox/open_watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace assay::sandbox {
namespace {

TEST(OpenWatch, WhatLoadersAndRuntimesReadIsOrdinary) {
  for (const char* path :
       {"/usr/lib/x86_64-linux-gnu/libm.so.6", "/lib64/ld-linux-x86-64.so.2", "/proc/cpuinfo", "/proc/self/maps",
        "/sys/devices/system/cpu/online", "/etc/ld.so.cache", "/etc/localtime", "/dev/urandom", "/tmp/scratch",
        "/opt/lib/kernel.so", "/opt/conda/lib/libm.so.6", "/", "relative.bin", ""}) {
    EXPECT_EQ(suspicious_open(path, O_RDONLY), "") << path;
  }
  EXPECT_EQ(suspicious_open("/tmp/scratch", O_RDWR | O_CREAT), "");
  EXPECT_EQ(suspicious_open("/dev/null", O_WRONLY), "");
  EXPECT_EQ(suspicious_open("/proc/self/mem", O_RDWR), "");
}

TEST(OpenWatch, OtherPathsAreTakenDownPlainly) {
  EXPECT_EQ(suspicious_open("/etc/passwd", O_RDONLY), "open /etc/passwd");
  EXPECT_EQ(suspicious_open("/tmp/../home/a/../b", O_RDONLY), "open /home/b");
  EXPECT_EQ(suspicious_open("/proc/1/environ", O_RDONLY), "open /proc/1/environ");
  EXPECT_EQ(suspicious_open("/usr/lib/libm.so.6", O_RDWR), "open to write /usr/lib/libm.so.6");
  EXPECT_EQ(suspicious_open("/usrlocal", O_RDONLY), "open /usrlocal");
}

TEST(OpenWatch, ReadsTextUpToTheEndOfWhatIsMapped) {
  auto* pages = static_cast<char*>(::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  std::memcpy(pages + 4094, "/etc/shadow", 12);
  const auto address = [](const char* text) { return reinterpret_cast<std::uint64_t>(text); };
  EXPECT_EQ(read_foreign_text(::getpid(), address(pages + 4094)), "/etc/shadow");
  std::memset(pages + 4096, 'x', 4096);
  EXPECT_EQ(read_foreign_text(::getpid(), address(pages + 4096)).size(), 255U);
  ::munmap(pages + 4096, 4096);
  EXPECT_EQ(read_foreign_text(::getpid(), address(pages + 4094)), "/e");
  EXPECT_EQ(read_foreign_text(::getpid(), 8), "");
  EXPECT_EQ(read_foreign_text(::getpid(), ~std::uint64_t{0}), "");
  ::munmap(pages, 4096);
}

}  // namespace
}  // namespace assay::sandbox
