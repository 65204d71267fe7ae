#pragma once
#include <sys/types.h>

#include <vector>

#include "core/opening.h"
#include "protocol/channel.h"
#include "sandbox/keeper.h"
#include "sandbox/notifier.h"
#include "sandbox/residue.h"

namespace assay::worker {

/// Init's answers to the judge's commands.
class Desk {
 public:
  /// `openings`: descriptors of their nodes belong to the device's driver, and are not told.
  Desk(pid_t worker, sandbox::UniqueFd listener, std::vector<Opening> openings);

  int notify_fd() const { return listening_ ? notifier_.fd() : -1; }
  void answer_refused() { notifier_.answer(); }
  void listener_ended() { listening_ = false; }  ///< the worker is gone
  /// Reads and answers one command. False: the judge is gone.
  bool serve_one(int control);
  /// Ends the worker and whatever it left to this process.
  void finish() { keeper_.kill(); }

 private:
  void answer(int control, const protocol::Command& command);
  void send_state(int control, std::uint64_t sequence, const sandbox::ProcessState& state) const;
  void send_vitals(int control, std::uint64_t sequence) const;
  void send_facts(int control, std::uint64_t sequence) const;
  void send_attempts(int control, std::uint64_t sequence);
  sandbox::Keeper keeper_;
  sandbox::Notifier notifier_;
  sandbox::ProcessReader reader_;
  std::vector<Opening> openings_;
  bool listening_ = true;
};

}  // namespace assay::worker
