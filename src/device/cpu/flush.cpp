#include "device/cpu/flush.h"

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace assay {
namespace {

constexpr std::size_t kLine = 64;

}  // namespace

#if defined(__x86_64__)

bool can_flush_caches() {
  return true;  // CLFLUSH came with SSE2, which every x86-64 has
}

namespace {

/// Leaf 7, EBX bit 23 (Intel SDM, CPUID): CLFLUSHOPT, whose lines don't wait for each other.
bool has_clflushopt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && ((b >> 23) & 1U) != 0;
}

__attribute__((target("clflushopt"))) void flush_unordered(std::uintptr_t first, std::uintptr_t end) {
  for (std::uintptr_t line = first; line < end; line += kLine) _mm_clflushopt(reinterpret_cast<void*>(line));
}

void flush_ordered(std::uintptr_t first, std::uintptr_t end) {
  for (std::uintptr_t line = first; line < end; line += kLine) _mm_clflush(reinterpret_cast<const void*>(line));
}

}  // namespace

void flush_from_caches(std::span<const std::byte> bytes) {
  static const bool unordered = has_clflushopt();
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data()) & ~(kLine - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size());
  unordered ? flush_unordered(first, end) : flush_ordered(first, end);
  _mm_mfence();
}

#elif defined(__aarch64__)

bool can_flush_caches() {
  return true;  // Linux lets programs use DC CIVAC (SCTLR_EL1.UCI)
}

void flush_from_caches(std::span<const std::byte> bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(bytes.data()) & ~(kLine - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size());
  for (std::uintptr_t line = first; line < end; line += kLine) asm volatile("dc civac, %0" ::"r"(line) : "memory");
  asm volatile("dsb ish" ::: "memory");
}

#else

bool can_flush_caches() {
  return false;
}

void flush_from_caches(std::span<const std::byte>) {}

#endif

}  // namespace assay
