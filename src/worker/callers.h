#pragma once
#include <memory>
#include <vector>

#include "abi/c_call.h"
#include "device/station.h"
#include "protocol/record.h"
#include "worker/slot_table.h"

namespace assay::worker {

class Meeting;

/// Makes calls of the subject as the judge asks for them: again and again, from two threads at once, with other threads
/// that want the processors. The plain case, one call by the one thread there is, costs nothing more than the call.
class Callers {
 public:
  /// Throws Error for types that this program doesn't know.
  Callers(void* function, const protocol::Load& wanted, Station& station);
  void make(const protocol::Call& call, protocol::Returned& reply);
  void keep(const protocol::Slots& slots, protocol::Kept& reply);
  void burst(const protocol::Burst& burst, protocol::Finished& reply) { slots_.run(*calls_[0], burst, reply); }

 private:
  void make_together(const protocol::Call& call, protocol::Returned& reply);
  std::uint64_t run(std::size_t caller, const protocol::Call& call, std::uint64_t& made, int& device_error,
                    Meeting* meeting = nullptr);
  Station& station_;
  std::uint8_t stream_;                             ///< which argument is the stream
  std::vector<std::unique_ptr<abi::CCall>> calls_;  ///< one per caller: each holds the slots of its call
  SlotTable slots_;
};

}  // namespace assay::worker
