#include "sandbox/open_watch.h"

#include <fcntl.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace assay::sandbox {
namespace {

/// Where loaders, C libraries and kernels that ask for the machine's shape look: nothing to take down.
constexpr std::string_view kOrdinary[] = {
    "/usr/",
    "/bin/",
    "/sbin/",
    "/lib/",
    "/lib32/",
    "/lib64/",
    "/proc/",
    "/sys/",
    "/tmp/",
    "/dev/",
    "/opt/lib/",
    "/srv/lib/",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/ld.so.conf",
    "/etc/localtime",
    "/etc/alternatives/",
};
constexpr std::string_view kWritable[] = {"/tmp/", "/dev/", "/proc/self/", "/proc/thread-self/"};

template <class Prefixes>
bool below_any(const std::string& path, const Prefixes& prefixes) {
  return std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](std::string_view prefix) { return path.starts_with(prefix) || path + "/" == prefix; });
}

/// The first process keeps the worker, or is the machine's own: nobody's library has business with it.
bool of_first_process(const std::string& path) {
  return path == "/proc/1" || path.starts_with("/proc/1/");
}

/// One read that stops at the end of a page: the next one may not be there.
std::size_t read_some(pid_t process, std::uint64_t address, char* target, std::size_t most) {
  constexpr std::uint64_t kPage = 4096;
  const std::size_t here = std::min<std::size_t>(most, kPage - address % kPage);
  const iovec local{target, here};
  const iovec remote{reinterpret_cast<void*>(address), here};
  const ssize_t got = ::process_vm_readv(process, &local, 1, &remote, 1, 0);
  return got < 0 ? 0 : static_cast<std::size_t>(got);
}

}  // namespace

std::string suspicious_open(const std::string& path, int flags) {
  if (!path.starts_with('/')) return {};  // relative paths start in the scratch
  const std::string plain = std::filesystem::path(path).lexically_normal().string();
  const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0;
  if (writes && !below_any(plain, kWritable)) return "open to write " + plain;
  // Loaders look for libraries wherever a run path points.
  if (plain.find(".so", plain.rfind('/')) != std::string::npos) return {};
  if (plain == "/" || (below_any(plain, kOrdinary) && !of_first_process(plain))) return {};
  return "open " + plain;
}

std::string read_foreign_text(pid_t process, std::uint64_t address) {
  std::array<char, 256> text{};
  const std::size_t most = text.size() - 1;
  std::size_t got = read_some(process, address, text.data(), most);
  if (got > 0 && got < most && std::memchr(text.data(), 0, got) == nullptr) {
    got += read_some(process, address + got, text.data() + got, most - got);
  }
  text.at(got) = 0;
  return text.data();
}

}  // namespace assay::sandbox
