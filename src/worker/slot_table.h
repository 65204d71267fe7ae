#pragma once
#include <cstdint>
#include <vector>

#include "abi/c_call.h"
#include "protocol/record.h"

namespace assay::worker {

/// Arguments of slots that the judge has prepared, and bursts over some of them. Between two calls of a burst there is
/// nothing but the loop: which slots are called is known only once the burst begins.
class SlotTable {
 public:
  /// Throws Error where the record leaves a gap or counts other arguments than `function` takes.
  void keep(const protocol::Slots& slots);
  std::uint64_t known() const { return known_; }
  /// Throws Error where the burst names a slot that isn't known.
  void run(abi::CCall& function, const protocol::Burst& burst, protocol::Finished& reply) const;

 private:
  std::size_t count_ = 0;  ///< arguments of a slot
  std::uint64_t known_ = 0;
  std::vector<std::uint64_t> args_;
};

}  // namespace assay::worker
