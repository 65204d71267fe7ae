#include "device/cpu/arena.h"

#include <sys/mman.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "device/cpu/page.h"

namespace assay {
namespace {

constexpr std::uint64_t kLeast = std::uint64_t{1} << 34;
constexpr std::uint64_t kStep = std::uint64_t{1} << 21;  // page tables of neighbours don't mix

void* reserve_at(std::uintptr_t place, std::uint64_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (place ? MAP_FIXED_NOREPLACE : 0);
  void* got = ::mmap(reinterpret_cast<void*>(place), bytes, PROT_NONE, flags, -1, 0);
  return got == MAP_FAILED ? nullptr : got;
}

/// Somewhere in the lower half of what a 47-bit address space offers, away from where the kernel puts programs and
/// libraries: more of the address is random than with the kernel's own choice.
std::uintptr_t random_place() {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) return 0;
  constexpr std::uint64_t kLow = std::uint64_t{1} << 40;
  constexpr std::uint64_t kHigh = std::uint64_t{1} << 46;
  return static_cast<std::uintptr_t>((kLow + bits % (kHigh - kLow)) / kStep * kStep);
}

}  // namespace

Arena::Arena(std::uint64_t wanted) {
  for (bytes_ = wanted; bytes_ >= kLeast; bytes_ /= 2) {
    void* got = nullptr;
    for (int attempt = 0; attempt < 8 && !got; ++attempt) got = reserve_at(random_place(), bytes_);
    if (!got) got = reserve_at(0, bytes_);
    if (!got) continue;
    start_ = reinterpret_cast<std::uintptr_t>(got);
    return;
  }
  throw Error(std::string("can't reserve address space for lent memory: ") + std::strerror(errno));
}

int Arena::map(std::uintptr_t address, std::uint64_t bytes, int fd, bool writable) {
  const auto page = static_cast<std::uint64_t>(page_bytes());
  const bool whole = address % page == 0 && bytes % page == 0 && bytes > 0;
  if (!whole || address < start_ || bytes > bytes_ || address - start_ > bytes_ - bytes) return EINVAL;
  const bool lend = fd >= 0;
  const int protection = !lend ? PROT_NONE : writable ? PROT_READ | PROT_WRITE : PROT_READ;
  const int flags = lend ? MAP_SHARED | MAP_POPULATE : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* got = ::mmap(reinterpret_cast<void*>(address), bytes, protection, flags | MAP_FIXED, fd, 0);
  return got == MAP_FAILED ? errno : 0;
}

}  // namespace assay
