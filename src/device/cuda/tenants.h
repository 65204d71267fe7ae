#pragma once
#include <string>
#include <vector>

#include "device/cuda/driver.h"

namespace assay::cuda {

/// Other processes that compute on the device, one line each, as NVML (libnvidia-ml.so.1, opened at run time) tells
/// them; empty where there are none or where nobody can tell.
std::vector<std::string> tenants_of(const Driver& driver, Ordinal device);

}  // namespace assay::cuda
