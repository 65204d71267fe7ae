// Theory of operation
//
// A report is a pure function of one AuditReport: no clock, no environment, no second look at the subject. One file per
// format; the table below is all that knows them, in the order of core/formats.h, which names them for the command
// line. All text that came from a subject goes through text.h on its way out: valid UTF-8, nothing that a terminal, a
// browser or a log could obey. Files are written whole or not at all (write.h).
#include "reports/render.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "reports/console.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "reports/write.h"

namespace assay::reports {
namespace {

using Renderer = std::string (*)(const AuditReport&, const ConsoleStyle&);

constexpr std::array<Renderer, kFormats.size()> kRenderers{
    to_console,
    [](const AuditReport& report, const ConsoleStyle&) { return to_json(report); },
    [](const AuditReport& report, const ConsoleStyle&) { return to_junit(report); },
};

}  // namespace

std::string render(Format format, const AuditReport& report, const ConsoleStyle& style) {
  return kRenderers[static_cast<std::size_t>(format)](report, style);
}

ConsoleStyle style_of(int fd) {
  ConsoleStyle style;
  if (isatty(fd) == 0) return style;
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.width = size.ws_col;
  style.colour = std::getenv("NO_COLOR") == nullptr;
  return style;
}

void prepare_folder(const std::string& folder, std::span<const Format> formats) {
  make_folder(folder);
  require_writable(folder);
  for (Format format : formats) {
    if (info(format).file.empty()) continue;
    std::error_code ignored;  // writing says what is wrong with a place that can't be taken
    std::filesystem::remove(std::filesystem::path(folder) / info(format).file, ignored);
  }
}

void write_all(const std::string& folder, std::span<const Format> formats, const AuditReport& report) {
  make_folder(folder);
  for (Format format : formats) {
    if (info(format).file.empty()) continue;
    write_whole(std::filesystem::path(folder) / info(format).file, render(format, report, {}));
  }
}

}  // namespace assay::reports
