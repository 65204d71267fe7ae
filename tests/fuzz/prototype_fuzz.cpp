#include <cstdint>
#include <cstdlib>

#include "contract/prototype.h"

// Any text is a declaration or has errors with places inside it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto prototype = assay::contract::parse_prototype(text);
  for (const auto& error : prototype.errors) {
    if (error.offset > size || error.message.empty()) std::abort();
  }
  if (!prototype.errors.empty()) return 0;
  if (prototype.name.empty() || !prototype.returns_known) std::abort();
  for (const auto& parameter : prototype.parameters) {
    if (parameter.name.empty() || text.substr(parameter.offset, parameter.name.size()) != parameter.name) std::abort();
  }
  return 0;
}
