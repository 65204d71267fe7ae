#pragma once
#include <string>

namespace assay {

/// A path that one worker's sandbox shows beyond what every worker sees: a device node that may be written and
/// controlled, or a folder to read.
struct Opening {
  std::string path;
  bool node = false;
};

}  // namespace assay
