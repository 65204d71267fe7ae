#include "reports/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

#include "reports/render.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

class SilentProgress final : public Progress {
 public:
  void started(std::int64_t) override {}
  void advanced(std::int64_t, std::string_view) override {}
  void finished() override {}
};

class TerminalProgress final : public Progress {
 public:
  explicit TerminalProgress(int fd) : fd_(fd), width_(style_of(fd).width) {}
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;
  ~TerminalProgress() override { wipe(); }

  void started(std::int64_t total) override { total_ = total; }

  void advanced(std::int64_t done, std::string_view what) override {
    const auto now = std::chrono::steady_clock::now();
    if (shown_ && now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    shown_ = true;
    const std::string line = fmt::format("{} of {} {}", done, total_, printable(what));
    print("\r" + wrapped(line, width_ - 1).front() + "\x1b[K");
  }

  void finished() override { wipe(); }

 private:
  void wipe() {
    if (std::exchange(shown_, false)) print("\r\x1b[K");
  }

  /// A terminal that went away is no reason to end an audit.
  void print(const std::string& text) {
    if (::write(fd_, text.data(), text.size()) < 0) shown_ = false;
  }

  int fd_;
  std::size_t width_;
  std::int64_t total_ = 0;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

bool can_rewrite_lines(int fd) {
  const char* term = std::getenv("TERM");
  return isatty(fd) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

std::unique_ptr<Progress> make_progress(int fd) {
  if (!can_rewrite_lines(fd)) return std::make_unique<SilentProgress>();
  return std::make_unique<TerminalProgress>(fd);
}

}  // namespace assay::reports
