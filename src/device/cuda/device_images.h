#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace assay::cuda {

/// What one image in a fat binary says about itself.
struct DeviceImage {
  bool ptx = false;       ///< else machine code
  int architecture = 0;   ///< 90: compute capability 9.0
  bool specific = false;  ///< "90a": for this capability alone
  bool family = false;    ///< "100f": for later minor versions too
};

/// Every image of every fat binary in `data`, which is not believed: what doesn't parse is left out. The layout is not
/// documented; it is what nvcc 12 and 13 write, seen with cuobjdump's listing beside.
std::vector<DeviceImage> device_images(std::span<const std::byte> data);

/// Whether a device of this compute capability (90 for 9.0) runs the image (CUDA C++ Programming Guide, "Binary
/// Compatibility" and "PTX Compatibility").
bool runs_on(const DeviceImage& image, int capability);

/// "sm_80, compute_90"; sorted, each once.
std::string names_of(const std::vector<DeviceImage>& images);

}  // namespace assay::cuda
