#include "worker/slot_table.h"

#include <algorithm>
#include <chrono>

#include "core/error.h"

namespace assay::worker {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

void SlotTable::keep(const protocol::Slots& slots) {
  if (slots.first == 0) {
    args_.clear();
    known_ = 0;
    count_ = slots.count;
  }
  if (slots.first != known_ || slots.count != count_) throw Error("slots out of order");
  for (std::uint32_t i = 0; i < slots.number; ++i) {
    args_.insert(args_.end(), slots.args[i].begin(), slots.args[i].begin() + static_cast<std::ptrdiff_t>(count_));
  }
  known_ += slots.number;
}

void SlotTable::run(abi::CCall& function, const protocol::Burst& burst, protocol::Finished& reply) const {
  const auto order = std::span(burst.order).first(burst.count);
  if (std::any_of(order.begin(), order.end(), [&](std::uint16_t slot) { return slot >= known(); })) {
    throw Error("a burst names a slot that isn't there");
  }
  const Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i < order.size(); ++i) {
    reply.values[i] = function(std::span(args_).subspan(order[i] * count_, count_));
  }
  reply.told_ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - start).count());
  reply.count = burst.count;
}

}  // namespace assay::worker
