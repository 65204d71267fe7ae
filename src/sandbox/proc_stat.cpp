#include "sandbox/proc_stat.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace assay::sandbox {

std::optional<ProcStat> read_stat(int fd) {
  std::array<char, 2048> text{};
  if (::pread(fd, text.data(), text.size() - 1, 0) <= 0) return std::nullopt;
  // The name stands in parentheses and may hold anything, parentheses too.
  const char* at = std::strrchr(text.data(), ')');
  if (!at || std::strlen(at) < 4) return std::nullopt;
  ProcStat stat;
  stat.state = at[2];
  at += 3;
  for (std::size_t field = 4; field < stat.fields.size(); ++field) {
    char* end = nullptr;
    stat.fields[field] = std::strtoll(at, &end, 10);
    at = end;
  }
  return stat;
}

}  // namespace assay::sandbox
