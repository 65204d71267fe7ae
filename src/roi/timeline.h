#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "roi/profile.h"

namespace assay::roi {

enum class Work : std::uint8_t { kernel, copy };

/// Device work as intervals in nanoseconds: who ran, who ran alone, how long anything ran. Holds at most kMostHeld
/// intervals (100 MB): up to that many may come in any order, more must be in time order but for that window.
class Timeline {
 public:
  explicit Timeline(std::function<bool(std::string_view)> picks) : picks_(std::move(picks)) {}

  /// The number of a name.
  std::uint32_t intern(std::string_view name, Work work);
  /// False: the interval begins before what has been summed already.
  [[nodiscard]] bool add(std::uint32_t name, std::int64_t start_ns, std::int64_t end_ns, std::int64_t device,
                         std::int64_t stream);
  /// Sums up into kernels, kernel_s, copy_s, busy_s, overlap_s, picked, streams and rows.
  void finish(Profile& profile);

  std::int64_t first_ns() const { return first_ns_; }
  std::int64_t last_ns() const { return last_ns_; }
  bool empty() const { return first_ns_ > last_ns_; }
  const std::string& name_of(std::uint32_t name) const { return names_[name].name; }

 private:
  static constexpr std::size_t kMostHeld = std::size_t{1} << 22;

  struct Interval {
    std::int64_t start, end;
    std::uint32_t name;
  };
  struct Name {
    std::string name;
    Work work = Work::kernel;
    bool picked = false;
    std::int64_t calls = 0, total_ns = 0, exclusive_ns = 0, active_ns = 0;
    std::int64_t running = 0;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct End {
    std::int64_t at;
    std::uint32_t name;
    bool operator>(const End& other) const { return at > other.at; }
  };

  void sweep(std::size_t count);
  void advance(std::int64_t to);
  void begin(const Interval& interval);
  void stop(std::uint32_t name);
  void pass(std::int64_t until);

  std::function<bool(std::string_view)> picks_;
  std::vector<Name> names_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
  std::vector<Interval> held_;
  std::map<std::pair<std::int64_t, std::int64_t>, StreamUse> streams_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> stream_ns_;
  std::int64_t first_ns_ = INT64_MAX, last_ns_ = INT64_MIN;

  // The state of the sweep.
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::int64_t now_ = INT64_MIN;
  std::int64_t front_ = INT64_MIN;
  std::int64_t distinct_ = 0, picked_running_ = 0;
  std::uint32_t running_names_ = 0;  ///< exclusive or of the numbers of running names: with one of them, its number
  std::int64_t busy_ns_ = 0, picked_alone_ns_ = 0, picked_active_ns_ = 0;
};

}  // namespace assay::roi
