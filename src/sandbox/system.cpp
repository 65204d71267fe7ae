#include "sandbox/system.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "sandbox/fd.h"

namespace assay::sandbox {

void fail(std::string_view what) {
  throw Error(std::string(what) + ": " + std::strerror(errno));
}

long checked(long result, std::string_view what) {
  if (result < 0) fail(what);
  return result;
}

std::string read_text(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!file) return text;
  std::array<char, 4096> part{};
  ssize_t got = 0;
  while ((got = ::read(file.get(), part.data(), part.size())) > 0)
    text.append(part.data(), static_cast<std::size_t>(got));
  return text;
}

void write_text(const std::string& path, std::string_view text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  checked(file.get(), path);
  checked(::write(file.get(), text.data(), text.size()), path);
}

}  // namespace assay::sandbox
