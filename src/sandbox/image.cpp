#include "sandbox/image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include <array>
#include <climits>

#include "core/error.h"
#include "sandbox/identity.h"
#include "sandbox/system.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

namespace assay::sandbox {
namespace {

UniqueFd memory_file(bool executable) {
  const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  // Kernels before 6.3 know neither flag and make every memory file executable.
  UniqueFd file(::memfd_create(kNeutralName, flags | (executable ? MFD_EXEC : MFD_NOEXEC_SEAL)));
  if (!file) file.reset(::memfd_create(kNeutralName, flags));
  checked(file.get(), "no memory file");
  return file;
}

}  // namespace

UniqueFd sealed_copy(const std::string& path, bool executable) {
  const UniqueFd source(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  checked(source.get(), "can't open " + path);
  struct stat about {};
  checked(::fstat(source.get(), &about), path);
  if (!S_ISREG(about.st_mode)) throw Error(path + " is not a regular file");
  UniqueFd copy = memory_file(executable);
  for (off_t left = about.st_size; left > 0;) {
    const long sent =
        checked(::sendfile(copy.get(), source.get(), nullptr, static_cast<std::size_t>(left)), "can't read " + path);
    if (sent == 0) throw Error(path + " became shorter while it was read");
    left -= sent;
  }
  checked(::fcntl(copy.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL),
          "can't seal a copy of " + path);
  return copy;
}

UniqueFd worker_image() {
  std::array<char, PATH_MAX> text{};
  const long got = checked(::readlink("/proc/self/exe", text.data(), text.size()), "/proc/self/exe");
  const std::string self(text.data(), static_cast<std::size_t>(got));
  return sealed_copy(self.substr(0, self.rfind('/')) + "/assay-worker", true);
}

}  // namespace assay::sandbox
