#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>

namespace assay::sandbox {

/// What an opened path says about whoever opens it: a word to count, such as "open /etc/passwd", where the path lies
/// outside of what a sandbox shows, or would be written outside of its scratch; else empty. Judges the words of the
/// path only: whether the file exists, and whether the kernel refuses, is not its business.
std::string suspicious_open(const std::string& path, int flags);

/// The text that `address` points to in a hostile process, as far as it can be read: at most 255 characters.
std::string read_foreign_text(pid_t process, std::uint64_t address);

}  // namespace assay::sandbox
