// The static libstdc++ of Debian 12 names arc4random for std::random_device; glibc
// has it since 2.36, and the programs are to run on 2.35. The kernel's own generator does as well.
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) std::abort();  // four bytes never come in part
  return number;
}
