// The judge's own kernels. They run in the judge's context, on memory that it lends, and only when the subject's work is
// over: while it runs the judge looks through the copy engine alone, since a kernel of its own would wait for the
// subject's (TIMING.md, point 2). Compiled ahead by nvcc, without contraction.
#include "numerics/philox_rounds.h"

namespace {

using Word = unsigned;
using Long = unsigned long long;

/// StreamKey of numerics/philox.h, as it is passed.
struct Key {
  Word key[2];
  Word stream[2];
};

constexpr Long kLanes = 16;
constexpr Long kGroupWords = 4 * kLanes;

/// Four words of the stream that one block of Philox gives, and where they lie: `word[i]` is number `first + i * 16`.
struct Quad {
  Word word[4];
  Long first;
};

__device__ Quad quad(const Key& key, Long block) {
  Quad quad{{static_cast<Word>(block), static_cast<Word>(block >> 32), key.stream[0], key.stream[1]},
            block / kLanes * kGroupWords + block % kLanes};
  assay::philox_rounds(quad.word, key.key[0], key.key[1]);
  return quad;
}

/// Blocks that cover `bytes`: whole groups.
__device__ Long blocks_for(Long bytes) {
  return (bytes + 4 * kGroupWords - 1) / (4 * kGroupWords) * kLanes;
}

__device__ bool aligned(const unsigned char* at) {
  return reinterpret_cast<Long>(at) % 4 == 0;
}

}  // namespace

extern "C" __global__ void assay_fill(unsigned char* at, Long bytes, Key key) {
  const Long step = static_cast<Long>(gridDim.x) * blockDim.x;
  for (Long block = static_cast<Long>(blockIdx.x) * blockDim.x + threadIdx.x; block < blocks_for(bytes); block += step) {
    const Quad drawn = quad(key, block);
    for (int i = 0; i < 4; ++i) {
      const Long offset = 4 * (drawn.first + i * kLanes);
      if (offset + 4 <= bytes && aligned(at)) {
        *reinterpret_cast<Word*>(at + offset) = drawn.word[i];
        continue;
      }
      for (Long byte = 0; byte < 4 && offset + byte < bytes; ++byte) {
        at[offset + byte] = static_cast<unsigned char>(drawn.word[i] >> (8 * byte));
      }
    }
  }
}

/// Lowers `*answer` to the first byte that isn't the stream's.
extern "C" __global__ void assay_compare(const unsigned char* at, Long bytes, Key key, Long* answer) {
  const Long step = static_cast<Long>(gridDim.x) * blockDim.x;
  Long first = ~0ull;
  for (Long block = static_cast<Long>(blockIdx.x) * blockDim.x + threadIdx.x; block < blocks_for(bytes); block += step) {
    const Quad drawn = quad(key, block);
    for (int i = 0; i < 4; ++i) {
      const Long offset = 4 * (drawn.first + i * kLanes);
      if (offset + 4 <= bytes && aligned(at) && *reinterpret_cast<const Word*>(at + offset) == drawn.word[i]) continue;
      for (Long byte = 0; byte < 4 && offset + byte < bytes; ++byte) {
        const bool same = at[offset + byte] == static_cast<unsigned char>(drawn.word[i] >> (8 * byte));
        if (!same && offset + byte < first) first = offset + byte;
      }
    }
  }
  if (first != ~0ull) atomicMin_system(answer, first);
}
