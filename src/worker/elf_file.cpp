#include "worker/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "sandbox/fd.h"

namespace assay::worker {
namespace {

using Bytes = std::span<const std::byte>;

#if defined(__x86_64__)
constexpr std::uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kMachine = EM_AARCH64;
#endif

struct MachineName {
  std::uint16_t machine;
  std::string_view name;
};
constexpr MachineName kMachines[] = {
    {EM_X86_64, "x86-64"}, {EM_AARCH64, "AArch64"}, {EM_386, "i386"},     {EM_ARM, "ARM"},
    {EM_RISCV, "RISC-V"},  {EM_PPC64, "PowerPC64"}, {190, "CUDA device"}, {224, "AMD GPU device"},
};

std::string machine_name(std::uint16_t machine) {
  for (const MachineName& each : kMachines) {
    if (each.machine == machine) return std::string(each.name);
  }
  return "machine " + std::to_string(machine);
}

template <class Struct>
std::optional<Struct> at(Bytes bytes, std::uint64_t offset) {
  Struct value;
  if (offset > bytes.size() || bytes.size() - offset < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Bytes of a section; empty if they lie outside the file.
Bytes section_bytes(Bytes file, const Elf64_Shdr& section) {
  if (section.sh_offset > file.size() || section.sh_size > file.size() - section.sh_offset) return {};
  return file.subspan(section.sh_offset, section.sh_size);
}

std::string text_at(Bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const auto* start = reinterpret_cast<const char*>(strings.data()) + offset;
  return std::string(start, ::strnlen(start, strings.size() - offset));
}

std::string problem_of(Bytes bytes) {
  if (bytes.size() < SELFMAG || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) {
    return "not an ELF file: a subject is a shared object (cc -shared -fPIC)";
  }
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!header) return "an ELF file that ends inside its header";
  const bool wide = header->e_ident[EI_CLASS] == ELFCLASS64;
  if (!wide || header->e_machine != kMachine) {
    return "built for " + machine_name(header->e_machine) + (wide ? "" : ", 32 bits") + "; this machine is " +
           machine_name(kMachine);
  }
  if (header->e_type == ET_REL) return "an object file, not linked: link it with cc -shared";
  if (header->e_type != ET_DYN) return "an ELF file, but not a shared object: link it with cc -shared";
  return {};
}

void add_functions(Bytes symbols, Bytes strings, std::vector<std::string>& names) {
  for (std::uint64_t offset = 0; const auto symbol = at<Elf64_Sym>(symbols, offset); offset += sizeof(Elf64_Sym)) {
    const unsigned type = ELF64_ST_TYPE(symbol->st_info);
    const bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (!function || symbol->st_shndx == SHN_UNDEF) continue;
    if (std::string name = text_at(strings, symbol->st_name); !name.empty()) names.push_back(std::move(name));
  }
}

}  // namespace

ElfFile::ElfFile(const std::string& path) {
  const sandbox::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (!file || ::fstat(file.get(), &about) != 0) {
    problem_ = "can't be opened";
    return;
  }
  const auto size = static_cast<std::size_t>(about.st_size);
  void* place = size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0) : MAP_FAILED;
  if (place != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(place), size};
  problem_ = problem_of(bytes_);
}

ElfFile::~ElfFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

std::vector<std::string> ElfFile::exported_functions() const {
  std::vector<std::string> names;
  const auto header = at<Elf64_Ehdr>(bytes_, 0);
  if (!header) return names;
  for (std::uint16_t i = 0; i < header->e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(bytes_, header->e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr));
    if (!section || section->sh_type != SHT_DYNSYM) continue;
    const auto strings = at<Elf64_Shdr>(bytes_, header->e_shoff + std::uint64_t{section->sh_link} * sizeof(Elf64_Shdr));
    if (strings) add_functions(section_bytes(bytes_, *section), section_bytes(bytes_, *strings), names);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace assay::worker
