#pragma once
#include <cstddef>

#include "core/call.h"

namespace assay {

/// What it takes to see one finding again, alone in a fresh worker: with the seed of the run all contents follow from
/// the draws in the plans, so nothing is drawn anew.
struct Case {
  Lifetime lifetime = Lifetime::serving;  ///< of the session in which it was seen
  Script script;
  std::size_t call = 0;  ///< index of the call that is objected to
};

}  // namespace assay
