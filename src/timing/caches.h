#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::timing {

/// "36608K", "32M", "512" as bytes: how /sys spells cache sizes.
std::optional<std::int64_t> parse_cache_size(std::string_view text);

/// One folder /sys/devices/system/cpu/cpuN/cache/indexM, as text.
struct CacheText {
  std::string level, type, size, shared;
};

/// The outermost data cache: `bytes` of each instance, and how many different ones there are.
struct LastLevelCache {
  std::int64_t bytes = 0;
  std::int64_t instances = 0;
};

/// The highest level that holds data; instances by their lists of sharing processors. Nothing where no text is usable.
std::optional<LastLevelCache> last_level_of(std::span<const CacheText> caches);

/// Reads it under `root` ("" in earnest).
std::optional<LastLevelCache> read_last_level_cache(const std::string& root = "");

}  // namespace assay::timing
