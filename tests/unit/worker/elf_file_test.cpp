#include "worker/elf_file.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace assay::worker {
namespace {

class TempFile {
 public:
  explicit TempFile(const std::string& contents) {
    path_ = (std::filesystem::temp_directory_path() / "elf_file_XXXXXX").string();
    const int fd = ::mkstemp(path_.data());
    EXPECT_GE(fd, 0);
    ::close(fd);
    std::ofstream(path_, std::ios::binary) << contents;
  }
  ~TempFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string kLibrary = "/lib/x86_64-linux-gnu/libm.so.6";

TEST(ElfFile, ListsFunctions) {
  const ElfFile file(kLibrary);
  EXPECT_EQ(file.problem(), "");
  const auto names = file.exported_functions();
  EXPECT_TRUE(std::binary_search(names.begin(), names.end(), "cosf"));
  EXPECT_FALSE(std::binary_search(names.begin(), names.end(), "signgam")) << "data is no function";
}

TEST(ElfFile, SaysWhyNot) {
  EXPECT_EQ(ElfFile("/no/such/file").problem(), "can't be opened");
  EXPECT_NE(ElfFile(TempFile("").path()).problem().find("not an ELF file"), std::string::npos);
  EXPECT_NE(ElfFile(TempFile("hello, world").path()).problem().find("not an ELF file"), std::string::npos);
  EXPECT_NE(ElfFile(TempFile(std::string("\177ELF\2", 5)).path()).problem().find("ends inside"), std::string::npos);
  std::string other = contents_of(kLibrary);
  other[18] = static_cast<char>(183);
  EXPECT_EQ(ElfFile(TempFile(other).path()).problem(), "built for AArch64; this machine is x86-64");
  other[18] = 3;
  other[4] = 1;
  EXPECT_EQ(ElfFile(TempFile(other).path()).problem(), "built for i386, 32 bits; this machine is x86-64");
  std::string object = contents_of(kLibrary);
  object[16] = 1;
  EXPECT_NE(ElfFile(TempFile(object).path()).problem().find("not linked"), std::string::npos);
}

/// Hostile headers: any damage gives names or none, never a read outside the file.
RC_GTEST_PROP(ElfFile, SurvivesDamage, ()) {
  static const std::string whole = contents_of(kLibrary);
  std::string damaged = whole;
  const int count = *rc::gen::inRange(1, 40);
  for (int i = 0; i < count; ++i) {
    const bool header = *rc::gen::inRange(0, 3) == 0;
    const auto start = header ? std::size_t{0} : damaged.size() - 2048;
    const auto at = start + *rc::gen::inRange<std::size_t>(0, header ? 64 : 2048);
    damaged[at] = *rc::gen::arbitrary<char>();
  }
  if (*rc::gen::inRange(0, 4) == 0) damaged.resize(*rc::gen::inRange<std::size_t>(0, damaged.size()));
  const TempFile file(damaged);
  ElfFile(file.path()).exported_functions();
}

}  // namespace
}  // namespace assay::worker
