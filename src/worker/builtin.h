#pragma once
#include "protocol/record.h"

namespace assay::worker {

/// The function of that name; null for Builtin::none. Both take whatever arguments the caller passes and return 0.
void* builtin_function(protocol::Builtin which);

}  // namespace assay::worker
