#pragma once
#include <memory>

#include "device/device.h"

namespace assay::cuda {

/// Opens a CUDA device for the judge. Throws Error (environment) that says why it is not to be had.
std::unique_ptr<Device> open_cuda(int ordinal);
/// What `assay devices` prints: the devices, or why there are none.
DeviceRow cuda_row();

}  // namespace assay::cuda
