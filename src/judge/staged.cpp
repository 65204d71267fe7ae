#include "judge/staged.h"

#include <xxhash.h>

#include <cstring>

namespace assay {

std::optional<std::size_t> first_difference(const std::byte* a, const std::byte* b, std::size_t bytes) {
  if (bytes == 0 || std::memcmp(a, b, bytes) == 0) return std::nullopt;
  std::size_t i = 0;
  while (a[i] == b[i]) ++i;
  return i;
}

void write_staged(Staged& staged, const StreamKey& before, const StreamKey& after) {
  const Lodging& lodging = staged.lodging;
  std::byte* start = lodging.memory->data();
  const std::size_t tail = static_cast<std::size_t>(lodging.memory->bytes()) - lodging.offset - lodging.bytes;
  staged.before.resize(lodging.offset);
  staged.after.resize(tail);
  fill_random_bytes(staged.before, before);
  fill_random_bytes(staged.after, after);
  std::memcpy(start, staged.before.data(), staged.before.size());
  if (lodging.bytes > 0) std::memcpy(lodging.data(), staged.contents->data(), lodging.bytes);
  std::memcpy(start + lodging.offset + lodging.bytes, staged.after.data(), tail);
}

std::array<std::uint64_t, 2> digest_of(const LentMemory& memory, std::uint64_t secret) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(memory.data(), static_cast<std::size_t>(memory.bytes()), secret);
  return {hash.low64, hash.high64};
}

}  // namespace assay
