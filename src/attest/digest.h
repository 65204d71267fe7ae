#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace assay {

/// SHA-256 as 64 lower-case hex digits. Throws Error if the library refuses.
std::string sha256_hex(std::span<const std::byte> bytes);

/// The same of what can be read from an open descriptor, from its start to its end; its position is left as it was, and
/// the descriptor must be seekable (a file or memfd). Throws Error if it can't be read.
std::string sha256_hex_of_descriptor(int descriptor);

/// The same of a file. Throws Error (exit 4) if it can't be opened or read.
std::string sha256_hex_of_file(const std::string& path);

}  // namespace assay
