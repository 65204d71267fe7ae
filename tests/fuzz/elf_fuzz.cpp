// Any bytes are read without a fault, and what is read of them fits what they are.
#include <cstdlib>

#include "judge/elf_image.h"
#include "judge/hints.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  const assay::ElfImage image = assay::read_elf_image(file);
  for (const auto& part : image.data) {
    if (part.data() < file.data() || part.data() + part.size() > file.data() + file.size()) std::abort();
  }
  assay::hints_of(file);
  return 0;
}
