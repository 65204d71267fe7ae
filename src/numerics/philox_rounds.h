#pragma once

/// The arithmetic of philox.h in plain C++ that host and device compilers take alike, NVRTC too: no header is included,
/// and arrays are bare.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define ASSAY_BOTH __host__ __device__
#else
#define ASSAY_BOTH
#endif

namespace assay {

/// Ten rounds of Philox4x32 on the counter in `c`.
ASSAY_BOTH constexpr void philox_rounds(unsigned (&c)[4], unsigned k0, unsigned k1) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long p0 = 0xD2511F53ull * c[0];
    const unsigned long long p1 = 0xCD9E8D57ull * c[2];
    c[0] = static_cast<unsigned>(p1 >> 32) ^ c[1] ^ k0;
    c[1] = static_cast<unsigned>(p1);
    c[2] = static_cast<unsigned>(p0 >> 32) ^ c[3] ^ k1;
    c[3] = static_cast<unsigned>(p0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

}  // namespace assay
