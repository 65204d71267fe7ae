#pragma once
#include <cstdint>
#include <string_view>

namespace assay {

/// Whoever wants to watch an audit while it runs. Three events, in order; nothing about results.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void started(std::int64_t total) = 0;  ///< calls that are planned
  virtual void advanced(std::int64_t done, std::string_view what) = 0;
  virtual void finished() = 0;
};

}  // namespace assay
