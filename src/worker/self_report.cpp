#include "worker/self_report.h"

#include <unistd.h>

#include <cfenv>
#include <cstring>

#include "core/fnv1a.h"

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

/// A name for what is there, the ends of the entries included.
std::uint64_t environment_digest() {
  std::uint64_t digest = fnv1a({});
  for (char** entry = ::environ; entry && *entry; ++entry) digest = fnv1a({*entry, std::strlen(*entry) + 1}, digest);
  return digest;
}

}  // namespace

protocol::SelfReport self_report(const Station& station) {
  return {float_control(), x87_control(), std::fegetround(), environment_digest(), station.settings()};
}

}  // namespace assay::worker
