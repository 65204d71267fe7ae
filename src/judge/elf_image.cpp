#include "judge/elf_image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

namespace assay {
namespace {

using Bytes = std::span<const std::byte>;

/// More than any real file has: bounds the work that a made-up one can ask for.
constexpr std::uint64_t kMostEntries = 1 << 16;
constexpr std::uint64_t kMostSymbols = 1 << 18;
constexpr std::size_t kMostNames = 4096;
constexpr std::size_t kLongestName = 512;

template <class Struct>
std::optional<Struct> at(Bytes bytes, std::uint64_t offset) {
  Struct value;
  if (offset > bytes.size() || bytes.size() - offset < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// As much of the range as lies in the file.
Bytes within(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset >= bytes.size()) return {};
  return bytes.subspan(offset, std::min<std::uint64_t>(size, bytes.size() - offset));
}

std::string text_at(Bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const auto* start = reinterpret_cast<const char*>(strings.data()) + offset;
  return std::string(start, ::strnlen(start, std::min<std::size_t>(strings.size() - offset, kLongestName)));
}

/// One reading of a file, by what a loader uses: program headers and the dynamic table, never sections.
class Reader {
 public:
  explicit Reader(Bytes file) : file_(file) {}

  ElfImage read() {
    const auto header = at<Elf64_Ehdr>(file_, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB) return {};
    for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
      if (header->e_phoff > file_.size()) break;
      const auto segment = at<Elf64_Phdr>(file_, header->e_phoff + i * sizeof(Elf64_Phdr));
      if (segment) segments_.push_back(*segment);
    }
    for (const Elf64_Phdr& segment : segments_) look_at(segment);
    read_dynamic();
    return std::move(image_);
  }

 private:
  void look_at(const Elf64_Phdr& segment) {
    const bool writable = (segment.p_flags & PF_W) != 0;
    const bool executable = (segment.p_flags & PF_X) != 0;
    if (segment.p_type == PT_GNU_STACK && executable) image_.executable_stack = true;
    if (segment.p_type != PT_LOAD) return;
    if (writable && executable) image_.writable_code = true;
    const Bytes contents = within(file_, segment.p_offset, segment.p_filesz);
    if (!executable && !contents.empty() && image_.data.size() < 64) image_.data.push_back(contents);
  }

  /// From an address of the loaded image to what of the file lies there, up to the end of its segment.
  Bytes mapped(std::uint64_t address) const {
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
      const std::uint64_t distance = address - segment.p_vaddr;
      if (distance >= segment.p_filesz) continue;
      return within(within(file_, segment.p_offset, segment.p_filesz), distance, segment.p_filesz - distance);
    }
    return {};
  }

  void read_dynamic() {
    const auto dynamic = std::find_if(segments_.begin(), segments_.end(),
                                      [](const Elf64_Phdr& segment) { return segment.p_type == PT_DYNAMIC; });
    if (dynamic == segments_.end()) return;
    const Bytes table = within(file_, dynamic->p_offset, dynamic->p_filesz);
    std::vector<std::uint64_t> needed;
    for (std::uint64_t i = 0; i < kMostEntries; ++i) {
      const auto entry = at<Elf64_Dyn>(table, i * sizeof(Elf64_Dyn));
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_NEEDED && needed.size() < kMostNames) needed.push_back(entry->d_un.d_val);
      entries_.try_emplace(entry->d_tag, entry->d_un.d_val);
    }
    const Bytes strings = within(mapped(value_of(DT_STRTAB)), 0, value_of(DT_STRSZ));
    for (const std::uint64_t offset : needed) {
      if (std::string name = text_at(strings, offset); !name.empty()) image_.libraries.push_back(std::move(name));
    }
    image_.constructors = value_of(DT_INIT_ARRAYSZ) / sizeof(Elf64_Addr);
    image_.patches_code = entries_.contains(DT_TEXTREL) || (value_of(DT_FLAGS) & DF_TEXTREL) != 0;
    read_imports(strings);
  }

  std::uint64_t value_of(std::int64_t tag) const {
    const auto it = entries_.find(tag);
    return it == entries_.end() ? 0 : it->second;
  }

  /// The table has no length of its own: a hash table knows it, else the strings usually follow it.
  std::uint64_t symbol_count() const {
    if (const auto chains = at<Elf64_Word>(mapped(value_of(DT_HASH)), sizeof(Elf64_Word));
        chains && entries_.contains(DT_HASH))
      return *chains;
    // Symbols from this index on are exports; what is wanted from elsewhere comes before them.
    if (const auto first = at<Elf64_Word>(mapped(value_of(DT_GNU_HASH)), sizeof(Elf64_Word)); first && *first > 1)
      return *first;
    const std::uint64_t start = value_of(DT_SYMTAB);
    const std::uint64_t end = value_of(DT_STRTAB);
    return end > start ? (end - start) / sizeof(Elf64_Sym) : kMostSymbols;
  }

  void read_imports(Bytes strings) {
    const Bytes symbols = mapped(value_of(DT_SYMTAB));
    const std::uint64_t count = std::min(symbol_count(), kMostSymbols);
    for (std::uint64_t i = 1; i < count && image_.imports.size() < kMostNames; ++i) {
      const auto symbol = at<Elf64_Sym>(symbols, i * sizeof(Elf64_Sym));
      if (!symbol) break;
      if (symbol->st_shndx != SHN_UNDEF) continue;
      if (std::string name = text_at(strings, symbol->st_name); !name.empty())
        image_.imports.push_back(std::move(name));
    }
    std::sort(image_.imports.begin(), image_.imports.end());
    image_.imports.erase(std::unique(image_.imports.begin(), image_.imports.end()), image_.imports.end());
  }

  Bytes file_;
  std::vector<Elf64_Phdr> segments_;
  std::map<std::int64_t, std::uint64_t> entries_;  ///< of the dynamic table, by tag; the first of each
  ElfImage image_;
};

}  // namespace

ElfImage read_elf_image(std::span<const std::byte> file) {
  return Reader(file).read();
}

}  // namespace assay
