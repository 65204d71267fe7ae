#include <algorithm>
#include <array>
#include <charconv>

#include "roi/json_scan.h"
#include "roi/readers.h"
#include "roi/timeline.h"

// Theory of operation: the trace is walked once, event by event, and never held. An event of another phase than X is
// left at once. Device work (kernel, gpu_memcpy, gpu_memset) goes to the timeline; host work only stretches the window,
// so that gaps and host time are in the denominator; annotations would count twice and are ignored. Where shapes are
// wanted, the host operators' inputs are kept once per distinct signature and each kernel is joined to its operator by
// "External id".

namespace assay::roi {
namespace {

enum class Place : std::uint8_t { kernel, copy, host, ignored };

struct Category {
  std::string_view name;
  Place place;
};
constexpr std::array<Category, 14> kCategories{{{"kernel", Place::kernel},
                                                {"gpu_memcpy", Place::copy},
                                                {"gpu_memset", Place::copy},
                                                {"cpu_op", Place::host},
                                                {"cuda_runtime", Place::host},
                                                {"cuda_driver", Place::host},
                                                {"hip_runtime", Place::host},
                                                {"runtime", Place::host},
                                                {"python_function", Place::host},
                                                {"user_annotation", Place::host},
                                                {"cpu_instant_event", Place::host},
                                                {"gpu_user_annotation", Place::ignored},
                                                {"Trace", Place::ignored},
                                                {"overhead", Place::ignored}}};

Place place_of(std::string_view category) {
  for (const Category& each : kCategories) {
    if (each.name == category) return each.place;
  }
  return Place::ignored;
}

/// What is read of one event; the strings are kept to save allocations.
struct Event {
  bool complete = false, has_start = false, has_length = false, has_place = false;
  Place place = Place::ignored;
  std::string name;
  std::int64_t start_ns = 0, length_ns = 0;
  std::int64_t device = 0, stream = 0, id = -1;
  bool operation = false;  ///< cpu_op: may say what a kernel's inputs were
  ShapeUse shapes;

  void clear() {
    complete = has_start = has_length = has_place = operation = false;
    place = Place::ignored;
    name.clear();
    start_ns = length_ns = device = stream = 0;
    id = -1;
    shapes.dims.clear();
    shapes.dtypes.clear();
  }
};

/// Joins kernels to the operators that launched them.
class Signatures {
 public:
  void operation(const Event& event) {
    if (event.id < 0 || event.shapes.dims.empty()) return;
    by_id_.emplace_back(event.id, number_of(event));
  }
  void kernel(std::int64_t id, std::uint32_t name, std::int64_t length_ns) {
    if (id >= 0) kernels_.push_back({id, length_ns, name});
  }
  std::vector<ShapeUse> joined(const Timeline& timeline) {
    std::sort(by_id_.begin(), by_id_.end());
    std::map<std::pair<std::uint32_t, std::uint32_t>, ShapeUse> uses;
    for (const Launch& launch : kernels_) {
      const auto found = std::lower_bound(by_id_.begin(), by_id_.end(), std::pair(launch.id, std::uint32_t{0}));
      if (found == by_id_.end() || found->first != launch.id) continue;
      ShapeUse& use = uses.try_emplace({launch.name, found->second}, known_[found->second]).first->second;
      use.kernel = timeline.name_of(launch.name);
      use.calls += 1.0;
      use.total_s += static_cast<double>(launch.length_ns) * 1e-9;
    }
    std::vector<ShapeUse> list;
    for (auto& [key, use] : uses) list.push_back(std::move(use));
    return list;
  }

 private:
  struct Launch {
    std::int64_t id, length_ns;
    std::uint32_t name;
  };

  std::uint32_t number_of(const Event& event) {
    std::string key = event.name;
    for (const auto& dims : event.shapes.dims) {
      key += '|';
      for (std::int64_t size : dims) key += std::to_string(size) + ',';
    }
    for (const std::string& dtype : event.shapes.dtypes) key += '|' + dtype;
    const auto [place, is_new] = numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(known_.size()));
    if (is_new) {
      known_.push_back(event.shapes);
      known_.back().op = event.name;
    }
    return place->second;
  }

  std::vector<ShapeUse> known_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> by_id_;
  std::vector<Launch> kernels_;
};

class Reader {
 public:
  Reader(ByteSource& source, const std::string& name, const ProfileRequest& request)
      : json_(source, name), timeline_(request.picks), shapes_(request.shapes) {
    profile_.path = name;
    profile_.format = "PyTorch profiler trace";
  }

  Profile read() {
    if (json_.peek() == JsonScanner::Kind::array) {
      read_events();
    } else {
      read_top();
    }
    json_.expect_end();
    return finished();
  }

 private:
  void read_top() {
    bool found = false;
    json_.begin_object();
    std::string_view key;
    while (json_.next_key(key)) {
      if (key != "traceEvents") {
        json_.skip();
        continue;
      }
      found = true;
      read_events();
    }
    if (!found) json_.fail("there is no \"traceEvents\": is it a trace of the PyTorch profiler?");
  }

  void read_events() {
    json_.begin_array();
    while (json_.next_element()) read_event();
  }

  void read_event() {
    event_.clear();
    json_.begin_object();
    std::string_view key;
    while (json_.next_key(key)) {
      if (!read_field(key)) break;
    }
    take();
  }

  /// False: the rest of the event was skipped.
  bool read_field(std::string_view key) {
    if (key == "ph") {
      event_.complete = json_.string() == "X";
      if (event_.complete) return true;
      json_.skip_rest_of_object();
      return false;
    }
    if (key == "cat") {
      const std::string_view category = json_.string();
      event_.place = place_of(category);
      event_.operation = shapes_ && category == "cpu_op";
      event_.has_place = true;
    } else if (key == "name") {
      event_.name = json_.string();
    } else if (key == "ts") {
      event_.start_ns = json_.microseconds_as_ns();
      event_.has_start = true;
    } else if (key == "dur") {
      event_.length_ns = json_.microseconds_as_ns();
      event_.has_length = true;
    } else if (key == "args") {
      read_arguments();
    } else {
      json_.skip();
    }
    return true;
  }

  bool wants_arguments() const {
    if (!event_.has_place) return true;
    return event_.place == Place::kernel || event_.place == Place::copy || event_.operation;
  }

  void read_arguments() {
    if (!wants_arguments() || json_.peek() != JsonScanner::Kind::object) return json_.skip();
    json_.begin_object();
    std::string_view key;
    while (json_.next_key(key)) read_argument(key);
  }

  void read_argument(std::string_view key) {
    const bool wanted_number = key == "device" || key == "stream" || key == "External id";
    if (wanted_number && json_.peek() == JsonScanner::Kind::number) {
      const std::int64_t value = json_.integer();
      (key == "device" ? event_.device : key == "stream" ? event_.stream : event_.id) = value;
    } else if (shapes_ && key == "Input Dims" && json_.peek() == JsonScanner::Kind::array) {
      read_dims();
    } else if (shapes_ && key == "Input type" && json_.peek() == JsonScanner::Kind::array) {
      json_.begin_array();
      while (json_.next_element()) event_.shapes.dtypes.emplace_back(json_.string());
    } else {
      json_.skip();
    }
  }

  void read_dims() {
    json_.begin_array();
    while (json_.next_element()) {
      event_.shapes.dims.emplace_back();
      if (json_.peek() != JsonScanner::Kind::array) {
        json_.skip();
        continue;
      }
      json_.begin_array();
      while (json_.next_element()) read_size(event_.shapes.dims.back());
    }
  }

  /// A list of tensors has lists as sizes: it has no shape of its own.
  void read_size(std::vector<std::int64_t>& dims) {
    if (json_.peek() != JsonScanner::Kind::number) return json_.skip();
    dims.push_back(json_.integer());
  }

  void take() {
    if (!event_.complete || event_.place == Place::ignored) {
      ++profile_.ignored;
      return;
    }
    if (!event_.has_start || !event_.has_length) json_.fail("event '" + event_.name + "' has no \"ts\" or no \"dur\"");
    if (event_.length_ns < 0) json_.fail("event '" + event_.name + "' takes less than no time");
    first_ns_ = std::min(first_ns_, event_.start_ns);
    last_ns_ = std::max(last_ns_, event_.start_ns + event_.length_ns);
    if (event_.place == Place::host) {
      ++profile_.ignored;
      if (event_.operation) signatures_.operation(event_);
      return;
    }
    const std::uint32_t name = timeline_.intern(event_.name, event_.place == Place::kernel ? Work::kernel : Work::copy);
    const std::int64_t end = event_.start_ns + event_.length_ns;
    if (!timeline_.add(name, event_.start_ns, end, event_.device, event_.stream)) {
      json_.fail("device work is millions of events out of time order; sort the trace by \"ts\" or cut it");
    }
    if (shapes_ && event_.place == Place::kernel) signatures_.kernel(event_.id, name, event_.length_ns);
  }

  Profile finished() {
    if (timeline_.empty()) {
      json_.fail("the trace has no device work: was the profiler told to record CUDA activities?");
    }
    timeline_.finish(profile_);
    profile_.window_s = static_cast<double>(last_ns_ - first_ns_) * 1e-9;
    profile_.window_has_host = first_ns_ < timeline_.first_ns() || last_ns_ > timeline_.last_ns();
    if (shapes_) profile_.shapes = signatures_.joined(timeline_);
    return std::move(profile_);
  }

  JsonScanner json_;
  Timeline timeline_;
  Signatures signatures_;
  bool shapes_;
  Event event_;
  Profile profile_;
  std::int64_t first_ns_ = INT64_MAX, last_ns_ = INT64_MIN;
};

}  // namespace

Profile read_torch_trace(ByteSource& source, const std::string& name, const ProfileRequest& request) {
  return Reader(source, name, request).read();
}

}  // namespace assay::roi
