#include "sandbox/layers.h"

#include <array>

namespace assay::sandbox {

std::string_view name_of(Level level) {
  constexpr std::array<std::string_view, 3> kNames{"full", "confined", "weak"};
  return kNames[static_cast<std::size_t>(level)];
}

Level level_of(const Layers& layers) {
  if (!layers.landlock || !layers.seccomp) return Level::weak;
  return layers.namespaces ? Level::full : Level::confined;
}

Layers limited_to(Level wanted, Layers available) {
  if (wanted == Level::weak) return {};
  if (wanted == Level::confined) available.namespaces = false;
  return available;
}

std::uint32_t to_bits(const Layers& layers) {
  return (layers.namespaces ? 1U : 0U) | (layers.landlock ? 2U : 0U) | (layers.seccomp ? 4U : 0U) |
         (layers.notify ? 8U : 0U);
}

Layers layers_from_bits(std::uint32_t bits) {
  return {(bits & 1U) != 0, (bits & 2U) != 0, (bits & 4U) != 0, (bits & 8U) != 0};
}

}  // namespace assay::sandbox
