#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "numerics/philox.h"

namespace assay {
namespace {

using Fill = void (*)(const StreamKey&, std::uint64_t first_group, std::uint32_t* out, std::size_t groups);

void fill_plain(const StreamKey& key, std::uint64_t first_group, std::uint32_t* out, std::size_t groups) {
  for (std::size_t i = 0; i < groups * kLanes; ++i) {
    const std::uint64_t block = first_group * kLanes + i;
    const PhiloxBlock words = philox(
        {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), key.stream[0], key.stream[1]},
        key.key);
    std::uint32_t* group = out + i / kLanes * kGroupWords + i % kLanes;
    for (std::size_t j = 0; j < 4; ++j) group[j * kLanes] = words[j];
  }
}

#if defined(__x86_64__)
// Counter words sit in the low halves of 64-bit lanes. Their upper halves collect rubbish, which the 32 x 32 -> 64 bit
// product ignores, so a round is two products, two shifts and four xors.

__attribute__((target("avx2"), optimize("O3"))) void fill_avx2(const StreamKey& key, std::uint64_t first_group,
                                                               std::uint32_t* out, std::size_t groups) {
  constexpr int kVectors = static_cast<int>(kLanes) / 4;
  const __m256i m0 = _mm256_set1_epi64x(0xD2511F53), m1 = _mm256_set1_epi64x(0xCD9E8D57);
  const __m256i low_halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  for (std::size_t g = 0; g < groups; ++g, out += kGroupWords) {
    const std::uint64_t first = (first_group + g) * kLanes;
    __m256i c[4][kVectors];
    for (int v = 0; v < kVectors; ++v) {
      c[0][v] = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<std::uint32_t>(first)),
                                 _mm256_setr_epi64x(4 * v, 4 * v + 1, 4 * v + 2, 4 * v + 3));
      c[1][v] = _mm256_set1_epi64x(static_cast<std::uint32_t>(first >> 32));
      c[2][v] = _mm256_set1_epi64x(key.stream[0]);
      c[3][v] = _mm256_set1_epi64x(key.stream[1]);
    }
    std::uint32_t k0 = key.key[0], k1 = key.key[1];
    for (int round = 0; round < 10; ++round) {
      const __m256i key0 = _mm256_set1_epi64x(k0), key1 = _mm256_set1_epi64x(k1);
      for (int v = 0; v < kVectors; ++v) {
        const __m256i p0 = _mm256_mul_epu32(c[0][v], m0), p1 = _mm256_mul_epu32(c[2][v], m1);
        c[0][v] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), c[1][v]), key0);
        c[2][v] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), c[3][v]), key1);
        c[1][v] = p1;
        c[3][v] = p0;
      }
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    for (int j = 0; j < 4; ++j) {
      for (int v = 0; v < kVectors; ++v) {
        const __m256i packed = _mm256_permutevar8x32_epi32(c[j][v], low_halves);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + j * kLanes + 4 * v), _mm256_castsi256_si128(packed));
      }
    }
  }
}

__attribute__((target("avx512f"), optimize("O3"))) void fill_avx512(const StreamKey& key, std::uint64_t first_group,
                                                                    std::uint32_t* out, std::size_t groups) {
  constexpr int kVectors = static_cast<int>(kLanes) / 8;
  const __m512i m0 = _mm512_set1_epi64(0xD2511F53), m1 = _mm512_set1_epi64(0xCD9E8D57);
  for (std::size_t g = 0; g < groups; ++g, out += kGroupWords) {
    const std::uint64_t first = (first_group + g) * kLanes;
    __m512i c[4][kVectors];
    for (int v = 0; v < kVectors; ++v) {
      c[0][v] = _mm512_add_epi64(_mm512_set1_epi64(static_cast<std::uint32_t>(first) + 8 * v),
                                 _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
      c[1][v] = _mm512_set1_epi64(static_cast<std::uint32_t>(first >> 32));
      c[2][v] = _mm512_set1_epi64(key.stream[0]);
      c[3][v] = _mm512_set1_epi64(key.stream[1]);
    }
    std::uint32_t k0 = key.key[0], k1 = key.key[1];
    for (int round = 0; round < 10; ++round) {
      const __m512i key0 = _mm512_set1_epi64(k0), key1 = _mm512_set1_epi64(k1);
      for (int v = 0; v < kVectors; ++v) {
        const __m512i p0 = _mm512_maskz_mul_epu32(0xff, c[0][v], m0), p1 = _mm512_maskz_mul_epu32(0xff, c[2][v], m1);
        c[0][v] = _mm512_xor_si512(_mm512_xor_si512(_mm512_maskz_srli_epi64(0xff, p1, 32), c[1][v]), key0);
        c[2][v] = _mm512_xor_si512(_mm512_xor_si512(_mm512_maskz_srli_epi64(0xff, p0, 32), c[3][v]), key1);
        c[1][v] = p1;
        c[3][v] = p0;
      }
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    for (int j = 0; j < 4; ++j) {
      for (int v = 0; v < kVectors; ++v) {
        _mm512_mask_cvtepi64_storeu_epi32(out + j * kLanes + 8 * v, 0xff, c[j][v]);
      }
    }
  }
}

Fill pick() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return fill_avx512;
  return __builtin_cpu_supports("avx2") ? fill_avx2 : fill_plain;
}
#else
Fill pick() {
  return fill_plain;
}
#endif

}  // namespace

void stream_words(const StreamKey& key, std::uint64_t first_group, std::span<std::uint32_t> out) {
  static const Fill fill = pick();
  fill(key, first_group, out.data(), out.size() / kGroupWords);
}

}  // namespace assay
