#include "timing/caches.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>

namespace assay::timing {
namespace {

namespace fs = std::filesystem;

struct Unit {
  std::string_view suffix;
  std::int64_t bytes;
};
constexpr std::array<Unit, 4> kUnits{{{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}}};

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code none;
  for (fs::directory_iterator it(folder, none), end; !none && it != end; it.increment(none))
    paths.push_back(it->path());
  return paths;
}

}  // namespace

std::optional<std::int64_t> parse_cache_size(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || count <= 0) return std::nullopt;
  std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (!suffix.empty() && suffix.back() == '\n') suffix.remove_suffix(1);
  const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.suffix == suffix; });
  std::int64_t bytes = 0;
  if (unit == kUnits.end() || __builtin_mul_overflow(count, unit->bytes, &bytes)) return std::nullopt;
  return bytes;
}

std::optional<LastLevelCache> last_level_of(std::span<const CacheText> caches) {
  std::string highest;
  LastLevelCache last;
  std::set<std::string> sharers;
  for (const CacheText& cache : caches) {
    const std::optional<std::int64_t> bytes = parse_cache_size(cache.size);
    if (!bytes || cache.level.empty() || cache.type == "Instruction" || cache.level < highest) continue;
    if (cache.level > highest) {
      highest = cache.level;
      sharers.clear();
      last.bytes = 0;
    }
    sharers.insert(cache.shared);
    last.bytes = std::max(last.bytes, *bytes);
  }
  last.instances = static_cast<std::int64_t>(sharers.size());
  return last.bytes > 0 ? std::optional(last) : std::nullopt;
}

std::optional<LastLevelCache> read_last_level_cache(const std::string& root) {
  std::vector<CacheText> caches;
  for (const fs::path& cpu : entries(root + "/sys/devices/system/cpu")) {
    for (const fs::path& index : entries(cpu / "cache")) {
      caches.push_back({first_line(index / "level"), first_line(index / "type"), first_line(index / "size"),
                        first_line(index / "shared_cpu_list")});
    }
  }
  return last_level_of(caches);
}

}  // namespace assay::timing
