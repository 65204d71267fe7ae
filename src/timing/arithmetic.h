#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace assay::timing {

/// Registers full of independent fused multiply-adds; returns a value so that nothing is optimised away.
struct ArithmeticKernel {
  std::string_view instructions;
  bool (*supported)();
  double (*f32)(std::int64_t rounds);
  double (*f64)(std::int64_t rounds);
  int f32_flops_per_round, f64_flops_per_round;
  bool is_peak;  ///< uses the machine's widest arithmetic
};

/// Widest first; the last is always supported.
std::span<const ArithmeticKernel> arithmetic_kernels();

}  // namespace assay::timing
