#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace assay {

/// How much an audit spends.
enum class Depth : std::uint8_t { quick, standard, deep };

struct DepthInfo {
  Depth depth;
  std::string_view name;
  int effort;  ///< scripts of a kind that a check may draw (CheckContext::effort)
};

/// One row per depth, in the order of the enumeration.
inline constexpr std::array<DepthInfo, 3> kDepths{{
    {Depth::quick, "quick", 1},
    {Depth::standard, "standard", 3},
    {Depth::deep, "deep", 8},
}};

constexpr const DepthInfo& info(Depth depth) {
  return kDepths[static_cast<std::size_t>(depth)];
}

}  // namespace assay
