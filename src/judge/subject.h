#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/report.h"
#include "device/device.h"
#include "judge/worker.h"
#include "protocol/record.h"
#include "sandbox/doctor.h"
#include "sandbox/fd.h"
#include "sandbox/surroundings.h"

namespace assay {

/// What workers need of this machine, found out once.
struct Machine {
  sandbox::Diagnosis diagnosis;
  sandbox::UniqueFd worker_image;
  std::vector<std::string> hidden;       ///< real paths that no subject may open
  std::shared_ptr<const Device> device;  ///< where subjects run; nothing: the CPU
};

/// A file that can be loaded, how it is called, and how a worker for it is started.
struct AuditSubject {
  SubjectInfo info;
  Entry entry;
  std::function<std::unique_ptr<Worker>(sandbox::Surroundings)> start;
  int file = -1;                              ///< the private copy that every worker loads: what the digest is of
  std::shared_ptr<const Device> device = {};  ///< where its tensors lie; nothing: the CPU
};

/// Takes private copies of the subject's file and of those beside it: whatever happens to the files afterwards, these
/// are what is loaded. `what` names the subject in messages ("candidate"). Throws Error (usage) where a file is
/// missing.
AuditSubject prepare_subject(const SubjectSpec& spec, const std::string& what, std::int64_t threads,
                             const Machine& machine);

/// A worker that calls one of its own functions with the registers of `entry`: nothing foreign is loaded.
AuditSubject builtin_subject(protocol::Builtin which, const Entry& entry, std::int64_t threads, const Machine& machine);

}  // namespace assay
