#pragma once
#include <span>

namespace assay::cuda {

/// The judge's own kernels as a fat binary: machine code of the architectures that nvcc was told, and PTX for later
/// ones. Empty where the build had no nvcc.
std::span<const unsigned char> device_code();

}  // namespace assay::cuda
