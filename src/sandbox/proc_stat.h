#pragma once
#include <array>
#include <cstdint>
#include <optional>

namespace assay::sandbox {

/// One read of /proc/PID/stat (proc(5)).
struct ProcStat {
  char state = '?';
  std::array<std::int64_t, 53> fields{};  ///< by their number in proc(5), from 4 on; what isn't a number is 0
};

/// Reads an open /proc/PID/stat from its start. Nothing: the process is gone.
std::optional<ProcStat> read_stat(int fd);

}  // namespace assay::sandbox
