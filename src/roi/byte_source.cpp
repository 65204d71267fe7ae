#include "roi/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "roi/valid.h"

namespace assay::roi {
namespace {

/// zlib reads plain files as they are.
class GzipFile : public ByteSource {
 public:
  explicit GzipFile(std::string path) : path_(std::move(path)), file_(gzopen(path_.c_str(), "rb")) {
    if (!file_ || std::filesystem::is_directory(path_)) {
      const std::string cause = file_ ? "it is a folder" : std::strerror(errno);
      if (file_) gzclose(file_);
      fail(path_ + ": can't read the profile: " + cause);
    }
    gzbuffer(file_, kBuffer);
  }
  ~GzipFile() override { gzclose(file_); }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  std::size_t read(char* to, std::size_t size) override {
    const int got = gzread(file_, to, static_cast<unsigned>(std::min(size, kMostAtOnce)));
    int code = Z_OK;
    const char* message = gzerror(file_, &code);
    if (got < 0 || (got == 0 && code == Z_BUF_ERROR)) {
      fail(path_ + ": " + (code == Z_BUF_ERROR ? "the gzip file is cut short" : message) +
           "; write or copy the profile again");
    }
    return static_cast<std::size_t>(got);
  }

 private:
  static constexpr unsigned kBuffer = 1u << 18;
  static constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

  std::string path_;
  gzFile file_;
};

class Text : public ByteSource {
 public:
  explicit Text(std::string text) : text_(std::move(text)) {}

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, text_.size() - done_);
    std::memcpy(to, text_.data() + done_, count);
    done_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t done_ = 0;
};

std::int64_t newlines(const char* at, const char* end) {
  std::int64_t count = 0;
  while (at != end && (at = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at))))) {
    ++count;
    ++at;
  }
  return count;
}

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path) {
  return std::make_unique<GzipFile>(path);
}

std::unique_ptr<ByteSource> open_text(std::string text) {
  return std::make_unique<Text>(std::move(text));
}

bool Window::refill(const char*& keep) {
  if (!at) at = end = keep = buffer_.data();
  const auto kept = static_cast<std::size_t>(end - keep), ahead = static_cast<std::size_t>(at - keep);
  lines_before_ += newlines(buffer_.data(), keep);
  if (kept == buffer_.size()) {
    if (buffer_.size() >= kMost) fail("a value is longer than 64 MiB: is this a profile?");
    std::vector<char> larger(buffer_.size() * 2);
    std::memcpy(larger.data(), keep, kept);
    buffer_.swap(larger);
  } else {
    std::memmove(buffer_.data(), keep, kept);
  }
  const std::size_t got = source_.read(buffer_.data() + kept, buffer_.size() - kept);
  keep = buffer_.data();
  at = keep + ahead;
  end = keep + kept + got;
  return got > 0;
}

bool Window::refill() {
  const char* keep = at;
  return refill(keep);
}

std::int64_t Window::line() const {
  return 1 + lines_before_ + (at ? newlines(buffer_.data(), at) : 0);
}

void Window::fail(const std::string& message) const {
  roi::fail(name_ + ":" + std::to_string(line()) + ": " + message);
}

}  // namespace assay::roi
