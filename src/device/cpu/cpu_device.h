#pragma once
#include <memory>

#include "device/device.h"

namespace assay {

/// The host's processors and memory.
std::unique_ptr<Device> open_cpu();
DeviceRow cpu_row();

}  // namespace assay
