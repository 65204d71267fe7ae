#include "timing/arithmetic.h"

#include <array>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::timing {
namespace {

// 12 chains hide 4 to 5 cycles of latency on two or three units, and fit the 16 registers of AVX2.
constexpr int kChains = 12;
constexpr double kFactor = 0.999999;
constexpr double kTerm = 1e-6;

bool always() {
  return true;
}

template <class Real>
double portable(std::int64_t rounds) {
  std::array<Real, kChains> x{};
  for (std::int64_t r = 0; r < rounds; ++r) {
    for (Real& v : x) v = v * static_cast<Real>(kFactor) + static_cast<Real>(kTerm);
  }
  Real sum = 0;
  for (const Real v : x) sum += v;
  return static_cast<double>(sum);
}

#if defined(__x86_64__)
// Plain arrays of vectors in registers: the inner loops have a constant count and are unrolled.
[[gnu::target("avx2,fma"), gnu::optimize("O3")]] double avx2_f32(std::int64_t rounds) {
  __m256 x[kChains];
  for (auto& v : x) v = _mm256_setzero_ps();
  const __m256 a = _mm256_set1_ps(static_cast<float>(kFactor)), b = _mm256_set1_ps(static_cast<float>(kTerm));
  for (std::int64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) x[i] = _mm256_fmadd_ps(x[i], a, b);
  }
  for (int i = 1; i < kChains; ++i) x[0] = _mm256_add_ps(x[0], x[i]);
  return static_cast<double>(_mm256_cvtss_f32(x[0]));
}

[[gnu::target("avx2,fma"), gnu::optimize("O3")]] double avx2_f64(std::int64_t rounds) {
  __m256d x[kChains];
  for (auto& v : x) v = _mm256_setzero_pd();
  const __m256d a = _mm256_set1_pd(kFactor), b = _mm256_set1_pd(kTerm);
  for (std::int64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) x[i] = _mm256_fmadd_pd(x[i], a, b);
  }
  for (int i = 1; i < kChains; ++i) x[0] = _mm256_add_pd(x[0], x[i]);
  return _mm256_cvtsd_f64(x[0]);
}

[[gnu::target("avx512f"), gnu::optimize("O3")]] double avx512_f32(std::int64_t rounds) {
  __m512 x[kChains];
  for (auto& v : x) v = _mm512_setzero_ps();
  const __m512 a = _mm512_set1_ps(static_cast<float>(kFactor)), b = _mm512_set1_ps(static_cast<float>(kTerm));
  for (std::int64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) x[i] = _mm512_fmadd_ps(x[i], a, b);
  }
  for (int i = 1; i < kChains; ++i) x[0] = _mm512_add_ps(x[0], x[i]);
  return static_cast<double>(_mm512_cvtss_f32(x[0]));
}

[[gnu::target("avx512f"), gnu::optimize("O3")]] double avx512_f64(std::int64_t rounds) {
  __m512d x[kChains];
  for (auto& v : x) v = _mm512_setzero_pd();
  const __m512d a = _mm512_set1_pd(kFactor), b = _mm512_set1_pd(kTerm);
  for (std::int64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) x[i] = _mm512_fmadd_pd(x[i], a, b);
  }
  for (int i = 1; i < kChains; ++i) x[0] = _mm512_add_pd(x[0], x[i]);
  return _mm512_cvtsd_f64(x[0]);
}

bool has_avx512() {
  return __builtin_cpu_supports("avx512f");
}
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

constexpr int flops(int lanes) {
  return 2 * kChains * lanes;
}

constexpr ArithmeticKernel kKernels[] = {
#if defined(__x86_64__)
    {"avx512f", has_avx512, avx512_f32, avx512_f64, flops(16), flops(8), true},
    {"avx2+fma", has_avx2, avx2_f32, avx2_f64, flops(8), flops(4), true},
#endif
    {"portable", always, portable<float>, portable<double>, flops(1), flops(1), false},
};

}  // namespace

std::span<const ArithmeticKernel> arithmetic_kernels() {
  return kKernels;
}

}  // namespace assay::timing
