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

std::span<std::byte> Staged::zone_before() const {
  return {lodging.memory->data(), static_cast<std::size_t>(lodging.offset)};
}

std::span<std::byte> Staged::zone_after() const {
  const auto start = static_cast<std::size_t>(lodging.offset + lodging.bytes);
  return {lodging.memory->data() + start, static_cast<std::size_t>(lodging.memory->bytes()) - start};
}

void write_staged(const Staged& staged) {
  const Lodging& lodging = staged.lodging;
  fill_random_bytes(staged.zone_before(), staged.key_before);
  if (lodging.bytes > 0) std::memcpy(lodging.data(), staged.contents->data(), lodging.bytes);
  fill_random_bytes(staged.zone_after(), staged.key_after);
}

std::array<std::uint64_t, 2> digest_of(const LentMemory& memory, std::uint64_t secret) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(memory.data(), static_cast<std::size_t>(memory.bytes()), secret);
  return {hash.low64, hash.high64};
}

}  // namespace assay
