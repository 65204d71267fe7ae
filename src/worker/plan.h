#pragma once
#include <string>
#include <vector>

#include "core/error.h"
#include "device/device.h"
#include "protocol/channel.h"
#include "sandbox/layers.h"
#include "sandbox/limits.h"
#include "sandbox/root.h"
#include "sandbox/surroundings.h"

namespace assay::worker {

/// What the judge asked for on `control`: read once by the launcher, inherited by the processes that it makes.
struct Plan {
  sandbox::Layers layers;
  sandbox::Limits limits;
  sandbox::Surroundings surroundings = sandbox::Surroundings::usual;
  int judge_pid = 0;
  std::vector<sandbox::NamedFile> files;  ///< the subject first
  std::vector<std::string> hidden;
  std::vector<Opening> openings;
  DeviceKind device = DeviceKind::cpu;
  int ordinal = 0;
  std::string driver;          ///< path of the device's library; empty: none
  std::string subject_folder;  ///< without a private root: where the files lie; else empty
};

/// Receives Setup and the records that follow it. Throws Error if they are not what this program understands.
Plan receive_plan(int control);

/// The next record from the judge, which must be a `Record`; any sequence is taken. Throws Error; false: the judge is
/// gone.
template <class Record>
bool receive_as(int socket, Record& record, std::vector<int>& fds) {
  protocol::Message message;
  if (protocol::receive_with_fds(socket, message, fds)) return false;
  protocol::Header header;
  if (message.size < sizeof header) throw Error("short record from the judge");
  std::memcpy(&header, message.buffer.data(), sizeof header);
  auto decoded = protocol::decode<Record>(message.bytes(), header.sequence);
  if (const auto* problem = std::get_if<protocol::Violation>(&decoded)) throw Error(problem->what);
  record = std::get<Record>(decoded);
  return true;
}

}  // namespace assay::worker
