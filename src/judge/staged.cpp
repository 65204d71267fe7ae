#include "judge/staged.h"

namespace assay {
namespace {

std::uint64_t end_of(const Staged& staged) {
  return staged.lodging.offset + staged.lodging.bytes;
}

std::optional<std::int64_t> shifted(std::optional<std::size_t> at, std::uint64_t by) {
  if (!at) return std::nullopt;
  return static_cast<std::int64_t>(*at) - static_cast<std::int64_t>(by);
}

}  // namespace

void write_staged(const Staged& staged) {
  DeviceMemory& memory = *staged.lodging.memory;
  memory.fill(0, staged.zone_before(), staged.key_before);
  memory.write(staged.lodging.offset, *staged.contents);
  memory.fill(end_of(staged), staged.zone_after(), staged.key_after);
}

std::optional<std::int64_t> damage_before(const Staged& staged) {
  return shifted(staged.lodging.memory->first_difference(0, staged.zone_before(), staged.key_before),
                 staged.lodging.offset);
}

std::optional<std::int64_t> damage_inside(const Staged& staged) {
  return shifted(staged.lodging.memory->first_difference(staged.lodging.offset, *staged.contents), 0);
}

std::optional<std::int64_t> damage_after(const Staged& staged) {
  return shifted(staged.lodging.memory->first_difference(end_of(staged), staged.zone_after(), staged.key_after), 0);
}

}  // namespace assay
