#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace assay {

/// How much of an audit its report shows.
enum class Disclosure : std::uint8_t { full, classes };

struct DisclosureInfo {
  Disclosure disclosure;
  std::string_view name;  ///< as in --disclose
};

inline constexpr std::array<DisclosureInfo, 2> kDisclosures{{
    {Disclosure::full, "full"},
    {Disclosure::classes, "class"},
}};

}  // namespace assay
