#include <algorithm>
#include <cstring>

#include "roi/profile.h"
#include "roi/readers.h"
#include "roi/valid.h"

namespace assay::roi {
namespace {

/// A source whose beginning has been looked at.
class Rewound : public ByteSource {
 public:
  Rewound(std::string head, ByteSource& rest) : head_(std::move(head)), rest_(rest) {}

  std::size_t read(char* to, std::size_t size) override {
    if (done_ == head_.size()) return rest_.read(to, size);
    const std::size_t count = std::min(size, head_.size() - done_);
    std::memcpy(to, head_.data() + done_, count);
    done_ += count;
    return count;
  }

 private:
  std::string head_;
  ByteSource& rest_;
  std::size_t done_ = 0;
};

std::string head_of(ByteSource& source) {
  constexpr std::size_t kHead = std::size_t{1} << 16;
  std::string head(kHead, '\0');
  std::size_t got = 0;
  while (got < kHead) {
    const std::size_t more = source.read(head.data() + got, kHead - got);
    if (more == 0) break;
    got += more;
  }
  head.resize(got);
  return head;
}

/// A trace says so near its beginning; a bare list of events has phases.
bool looks_like_trace(const std::string& head) {
  for (const char* sign : {"\"traceEvents\"", "\"schemaVersion\"", "\"deviceProperties\"", "\"ph\""}) {
    if (head.find(sign) != std::string::npos) return true;
  }
  return false;
}

/// Progress lines of tools may begin with a bracket too: a list of events or rows has an object next.
bool looks_like_json(const std::string& head) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t first = head.find_first_not_of(kBlanks);
  if (first == std::string::npos) return false;
  if (head[first] == '{') return true;
  const std::size_t second = head.find_first_not_of(kBlanks, first + 1);
  return head[first] == '[' && second != std::string::npos && (head[second] == '{' || head[second] == ']');
}

Profile read_any(ByteSource& source, const std::string& name, const ProfileRequest& request) {
  std::string head = head_of(source);
  if (head.starts_with("\xEF\xBB\xBF")) head.erase(0, 3);
  if (head.find_first_not_of(" \t\r\n") == std::string::npos) fail(name + ": the profile is empty");
  const bool is_json = looks_like_json(head);
  const bool trace = is_json && looks_like_trace(head);
  Rewound all(std::move(head), source);
  Profile profile = trace     ? read_torch_trace(all, name, request)
                    : is_json ? read_json_profile(all, name)
                              : read_csv_profile(all, name, request);
  std::stable_sort(profile.kernels.begin(), profile.kernels.end(),
                   [](const ProfileKernel& a, const ProfileKernel& b) { return a.total_s > b.total_s; });
  return profile;
}

}  // namespace

Profile read_profile(const std::string& path, const ProfileRequest& request) {
  const std::unique_ptr<ByteSource> source = open_file(path);
  return read_any(*source, path, request);
}

Profile parse_profile(const std::string& text, const std::string& name, const ProfileRequest& request) {
  const std::unique_ptr<ByteSource> source = open_text(text);
  return read_any(*source, name, request);
}

}  // namespace assay::roi
