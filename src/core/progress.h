#pragma once
#include <cstdint>
#include <string_view>

namespace assay {

/// Whoever wants to watch an audit while it runs. Three events, in order; nothing about results.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void started(std::int64_t total) = 0;                         ///< what is planned, calls at first
  virtual void advanced(std::int64_t done, std::string_view what) = 0;  ///< "calls: move-one", "timed process pairs"
  virtual void finished() = 0;
};

}  // namespace assay
