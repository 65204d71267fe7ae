#pragma once
#include <filesystem>
#include <string_view>

namespace assay::reports {

/// Makes the folder and those above it. Throws assay::Error that names the folder and the cause.
void make_folder(const std::filesystem::path& folder);

/// Throws assay::Error if nothing can be written into the folder.
void require_writable(const std::filesystem::path& folder);

/// Replaces `file` by `bytes` in one step: whoever looks sees the old file or the whole new one, also after a crash or
/// a power cut. Throws assay::Error that names the file and the cause; then nothing has changed.
void write_whole(const std::filesystem::path& file, std::string_view bytes);

}  // namespace assay::reports
