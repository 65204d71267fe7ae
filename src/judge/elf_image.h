#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// What a shared object says about itself to a loader, read from bytes that somebody hostile may have made: no offset,
/// size or count in them is believed. What can't be read is left out.
struct ElfImage {
  std::vector<std::string> imports;    ///< symbols that it wants from elsewhere, sorted
  std::vector<std::string> libraries;  ///< that it needs
  bool writable_code = false;          ///< a segment that is mapped writable and executable
  bool executable_stack = false;
  bool patches_code = false;                     ///< relocations in segments that aren't writable
  std::size_t constructors = 0;                  ///< entries of its table of functions to run at load
  std::vector<std::span<const std::byte>> data;  ///< what of the file gets into memory, but for code
};

/// The file must be a 64-bit little-endian ELF file; of any other, the result is empty.
ElfImage read_elf_image(std::span<const std::byte> file);

}  // namespace assay
