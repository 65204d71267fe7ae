#include "worker/self_report.h"

#include <unistd.h>

#include <cfenv>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::worker {
namespace {

#if defined(__x86_64__)
/// Rounding, masks, flush and denormal bits; the sticky exception flags below are what arithmetic leaves, not a
/// setting.
std::uint64_t float_control() {
  return _mm_getcsr() & ~0x3FU;
}
std::uint32_t x87_control() {
  std::uint16_t word = 0;
  __asm__ volatile("fnstcw %0" : "=m"(word));
  return word;
}
#elif defined(__aarch64__)
std::uint64_t float_control() {
  std::uint64_t word = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
std::uint32_t x87_control() {
  return 0;
}
#endif

/// FNV-1a, 64 bits (Fowler, Noll, Vo): a name for what is there, not a protection.
std::uint64_t environment_digest() {
  std::uint64_t digest = 0xcbf29ce484222325ULL;
  for (char** entry = ::environ; entry && *entry; ++entry) {
    for (const char* c = *entry;; ++c) {
      digest = (digest ^ static_cast<unsigned char>(*c)) * 0x100000001b3ULL;
      if (*c == '\0') break;
    }
  }
  return digest;
}

}  // namespace

protocol::SelfReport self_report() {
  return {float_control(), x87_control(), std::fegetround(), environment_digest()};
}

}  // namespace assay::worker
