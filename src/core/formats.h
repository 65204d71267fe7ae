#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace assay {

/// What a report can be written as; reports/ renders each, `--format` names them.
enum class Format : std::uint8_t { console, json, junit };

struct FormatInfo {
  Format format;
  std::string_view name;  ///< as in --format
  std::string_view file;  ///< its name in --out; empty: only printed
};

/// One row per format, in the order of the enumeration.
inline constexpr std::array<FormatInfo, 3> kFormats{{
    {Format::console, "console", ""},
    {Format::json, "json", "report.json"},
    {Format::junit, "junit", "report.xml"},
}};

constexpr const FormatInfo& info(Format format) {
  return kFormats[static_cast<std::size_t>(format)];
}

}  // namespace assay
