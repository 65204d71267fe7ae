#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/cuda/driver.h"

namespace assay::cuda {

struct Nvml;

/// The processes that compute on one device, as NVML (libnvidia-ml.so.1, opened at run time) tells them.
class Census {
 public:
  Census(const Driver& driver, Ordinal device);
  ~Census();
  Census(const Census&) = delete;
  Census& operator=(const Census&) = delete;

  /// Processes other than this one, a line each; empty where there are none or where nobody can tell.
  std::vector<std::string> others() const;
  /// Device memory of a process; nothing where NVML doesn't know it or doesn't say how much.
  std::optional<std::int64_t> bytes_of(int process) const;

 private:
  std::unique_ptr<Nvml> nvml_;
};

}  // namespace assay::cuda
