#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace assay::roi {

/// Where the bytes of a profile come from.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills at most `size` bytes and says how many; 0 only at the end. Throws assay::Error.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// A file, decompressed where it is gzip. Throws assay::Error (exit 2) if it can't be read or is cut short.
std::unique_ptr<ByteSource> open_file(const std::string& path);

/// A text in memory.
std::unique_ptr<ByteSource> open_text(std::string text);

/// A window that slides over a source. It grows only for a single token that is longer than it.
class Window {
 public:
  Window(ByteSource& source, std::string name) : source_(source), name_(std::move(name)), buffer_(kSize) {}

  const char* at = nullptr;   ///< the next byte
  const char* end = nullptr;  ///< past the last byte that is there

  /// Reads on, keeping the bytes from `keep` (not after `at`) and moving `keep` and `at` along. False at the end.
  bool refill(const char*& keep);
  /// The same where nothing must be kept.
  bool refill();
  /// The line of `at`, from 1.
  std::int64_t line() const;
  const std::string& name() const { return name_; }
  /// Throws assay::Error (exit 2): "NAME:LINE: message".
  [[noreturn]] void fail(const std::string& message) const;

 private:
  static constexpr std::size_t kSize = std::size_t{1} << 20;
  static constexpr std::size_t kMost = std::size_t{1} << 26;

  ByteSource& source_;
  std::string name_;
  std::vector<char> buffer_;
  std::int64_t lines_before_ = 0;
};

}  // namespace assay::roi
