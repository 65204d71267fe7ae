#pragma once
#include <string>
#include <string_view>

namespace assay::sandbox {

/// Throws Error "WHAT: reason of errno".
[[noreturn]] void fail(std::string_view what);

/// Throws like fail() if a system call returned a negative number; else gives it back.
long checked(long result, std::string_view what);

/// A small file as text; empty if it can't be read.
std::string read_text(const std::string& path);

/// Writes a small file in one go. Throws Error.
void write_text(const std::string& path, std::string_view text);

}  // namespace assay::sandbox
