#pragma once
#include <span>
#include <string>

#include "core/formats.h"
#include "core/report.h"
#include "reports/page.h"

namespace assay::reports {

/// The report in one format, as bytes of a file. `style` only matters to the console.
std::string render(Format format, const AuditReport& report, const ConsoleStyle& style);

/// What `file` should be told about colour and width: none and 100 unless it is a terminal. `fd` is a descriptor.
ConsoleStyle style_of(int fd);

/// Makes `folder` if it is missing, sees that it can be written, and takes away what an earlier run wrote there in
/// these formats: an old verdict must not pass for this run's. Throws assay::Error before anything is spent.
void prepare_folder(const std::string& folder, std::span<const Format> formats);

/// Writes each format that has a file into `folder`, which is made if missing. Throws assay::Error; what it did not
/// finish leaves no file behind.
void write_all(const std::string& folder, std::span<const Format> formats, const AuditReport& report);

}  // namespace assay::reports
