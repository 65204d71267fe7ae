#include "roi/timeline.h"

#include <algorithm>

// Theory of operation: intervals are sorted by their start and swept once. Between two neighbouring starts or ends the
// set of running names is constant, so that each stretch of time is given to "busy" if anything runs, to a name's
// active time if it runs, to its exclusive time if nothing else does, and likewise to the picked names as one. Two
// intervals of the same name that overlap, as on several devices, are one stretch of that name's time.

namespace assay::roi {
namespace {

constexpr double kNano = 1e-9;

double seconds(std::int64_t ns) {
  return static_cast<double>(ns) * kNano;
}

}  // namespace

std::uint32_t Timeline::intern(std::string_view name, Work work) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(names_.size());
  const bool picked = work == Work::kernel && picks_ && picks_(name);
  names_.push_back({std::string(name), work, picked});
  numbers_.emplace(std::string(name), number);
  return number;
}

bool Timeline::add(std::uint32_t name, std::int64_t start_ns, std::int64_t end_ns, std::int64_t device,
                   std::int64_t stream) {
  if (start_ns < front_) return false;
  Name& of = names_[name];
  ++of.calls;
  of.total_ns += end_ns - start_ns;
  StreamUse& use = streams_[{device, stream}];
  ++use.calls;
  stream_ns_[{device, stream}] += end_ns - start_ns;
  first_ns_ = std::min(first_ns_, start_ns);
  last_ns_ = std::max(last_ns_, end_ns);
  held_.push_back({start_ns, end_ns, name});
  if (held_.size() >= kMostHeld) sweep(kMostHeld / 2);
  return true;
}

/// Gives the time from now_ to `until` to whoever runs.
void Timeline::pass(std::int64_t until) {
  const std::int64_t length = until - now_;
  if (distinct_ > 0 && length > 0) {
    busy_ns_ += length;
    if (distinct_ == 1) names_[running_names_].exclusive_ns += length;
    if (picked_running_ > 0) picked_active_ns_ += length;
    if (picked_running_ == distinct_) picked_alone_ns_ += length;
  }
  now_ = until;
}

void Timeline::begin(const Interval& interval) {
  Name& name = names_[interval.name];
  if (name.running++ == 0) {
    ++distinct_;
    running_names_ ^= interval.name;
    if (name.picked) ++picked_running_;
    name.active_ns -= now_;
  }
  ends_.push({interval.end, interval.name});
}

void Timeline::stop(std::uint32_t number) {
  Name& name = names_[number];
  if (--name.running > 0) return;
  --distinct_;
  running_names_ ^= number;
  if (name.picked) --picked_running_;
  name.active_ns += now_;
}

void Timeline::advance(std::int64_t to) {
  while (!ends_.empty() && ends_.top().at <= to) {
    pass(ends_.top().at);
    stop(ends_.top().name);
    ends_.pop();
  }
  pass(to);
}

/// Sums the `count` intervals that begin first and forgets them.
void Timeline::sweep(std::size_t count) {
  std::sort(held_.begin(), held_.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
  for (std::size_t i = 0; i < count; ++i) {
    if (now_ == INT64_MIN) now_ = held_[i].start;
    advance(held_[i].start);
    begin(held_[i]);
  }
  if (count > 0) front_ = held_[count - 1].start;
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(count));
}

void Timeline::finish(Profile& profile) {
  sweep(held_.size());
  while (!ends_.empty()) advance(ends_.top().at);
  std::int64_t kernels_ns = 0, copies_ns = 0;
  for (const Name& name : names_) {
    profile.rows += name.calls;
    (name.work == Work::kernel ? kernels_ns : copies_ns) += name.total_ns;
    if (name.work != Work::kernel) continue;
    ProfileKernel kernel;
    kernel.name = name.name;
    kernel.calls = name.calls;
    kernel.total_s = seconds(name.total_ns);
    kernel.exclusive_s = seconds(name.exclusive_ns);
    kernel.active_s = seconds(name.active_ns);
    profile.kernels.push_back(std::move(kernel));
  }
  profile.kernel_s = seconds(kernels_ns);
  profile.copy_s = seconds(copies_ns);
  profile.busy_s = seconds(busy_ns_);
  profile.overlap_s = seconds(kernels_ns + copies_ns - busy_ns_);
  if (picks_) profile.picked = PickedTime{seconds(picked_alone_ns_), seconds(picked_active_ns_)};
  for (auto& [key, use] : streams_) {
    profile.streams.push_back({key.first, key.second, use.calls, seconds(stream_ns_[key])});
  }
}

}  // namespace assay::roi
