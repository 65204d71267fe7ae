#include "judge/hints.h"

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <string>

#include "judge/elf_image.h"

namespace assay {
namespace {

using File = std::vector<std::byte>;

/// A real shared object: the C++ library that this test is linked with.
File real_file() {
  for (const char* path : {"/usr/lib/x86_64-linux-gnu/libseccomp.so.2", "/usr/lib/aarch64-linux-gnu/libseccomp.so.2"}) {
    std::ifstream in(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    if (!text.empty()) {
      File file(text.size());
      std::memcpy(file.data(), text.data(), text.size());
      return file;
    }
  }
  return {};
}

bool has(const std::vector<Hint>& hints, const std::string& kind, const std::string& what) {
  return std::any_of(hints.begin(), hints.end(), [&](const Hint& h) { return h.kind == kind && h.what == what; });
}

template <class Struct>
void put(File& file, std::size_t offset, const Struct& value) {
  if (file.size() < offset + sizeof value) file.resize(offset + sizeof value);
  std::memcpy(file.data() + offset, &value, sizeof value);
}

/// One segment that holds all, with the dynamic table at 0x400, symbols at 0x600 and strings at 0x800; no sections.
File made_up(const std::string& strings, std::uint32_t flags) {
  File file(0x1000);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_phoff = sizeof header;
  header.e_phnum = 2;
  put(file, 0, header);
  put(file, header.e_phoff, Elf64_Phdr{PT_LOAD, flags, 0, 0, 0, 0x1000, 0x1000, 0x1000});
  put(file, header.e_phoff + sizeof(Elf64_Phdr), Elf64_Phdr{PT_DYNAMIC, PF_R, 0x400, 0x400, 0, 0x100, 0x100, 8});
  const std::pair<std::int64_t, std::uint64_t> entries[] = {
      {DT_NEEDED, 1}, {DT_STRTAB, 0x800}, {DT_STRSZ, 0x400}, {DT_SYMTAB, 0x600}, {DT_INIT_ARRAYSZ, 24}, {DT_NULL, 0}};
  std::size_t at = 0x400;
  for (const auto& [tag, value] : entries) {
    Elf64_Dyn entry{};
    entry.d_tag = tag;
    entry.d_un.d_val = value;
    put(file, at, entry);
    at += sizeof entry;
  }
  Elf64_Sym symbol{};
  symbol.st_name = static_cast<Elf64_Word>(strings.find("ptrace"));
  put(file, 0x600 + sizeof symbol, symbol);
  std::memcpy(file.data() + 0x800, strings.data(), strings.size());
  return file;
}

const std::string kStrings = std::string("\0libcublas.so.12\0ptrace\0KernelBench\0", 37);

TEST(Hints, ReadWhatALoaderReads) {
  const std::vector<Hint> hints = hints_of(made_up(kStrings, PF_R | PF_W));
  EXPECT_TRUE(has(hints, "library", "libcublas.so.12"));
  EXPECT_TRUE(has(hints, "import", "ptrace"));
  EXPECT_TRUE(has(hints, "constructor", "2 besides the compiler's"));
  EXPECT_TRUE(has(hints, "name", "kernelbench"));
  EXPECT_FALSE(has(hints, "section", "writable and executable"));
  EXPECT_TRUE(has(hints_of(made_up(kStrings, PF_R | PF_W | PF_X)), "section", "writable and executable"));
}

TEST(Hints, OfARealLibraryAreFewAndTrue) {
  const File file = real_file();
  if (file.empty()) GTEST_SKIP() << "no library to read";
  const ElfImage image = read_elf_image(file);
  EXPECT_TRUE(std::binary_search(image.imports.begin(), image.imports.end(), "syscall"));
  EXPECT_EQ(image.libraries, std::vector<std::string>{"libc.so.6"});
  EXPECT_FALSE(image.writable_code);
}

TEST(Hints, OfNoElfFileThereAreNone) {
  EXPECT_TRUE(hints_of({}).empty());
  EXPECT_TRUE(hints_of(File(3)).empty());
  EXPECT_TRUE(hints_of(File(4096)).empty());
  EXPECT_TRUE(hints_of_file(-1).empty());
}

TEST(Hints, SurviveDamage) {
  const File sound = made_up(kStrings, PF_R);
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    File file = sound;
    for (int i = 0; i < 1 + round % 7; ++i) file[random() % 0x700] = static_cast<std::byte>(random());
    if (round % 5 == 0) file.resize(random() % file.size());
    hints_of(file);
  }
}

}  // namespace
}  // namespace assay
