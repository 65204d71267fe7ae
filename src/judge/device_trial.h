#pragma once
#include <vector>

#include "judge/subject.h"

namespace assay {

/// Does on `machine.device`, which must be there, what an audit relies on, in the same sandbox: memory is lent, filled
/// and compared; a worker starts, maps that memory and makes a call; then the device's own remarks.
std::vector<sandbox::DoctorRow> try_device(const Machine& machine);

}  // namespace assay
