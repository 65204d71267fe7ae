#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

namespace assay::timing {

/// What to measure on: as many threads as the subject may use, on the processors that this process may use.
struct PeakRequest {
  int threads = 1;
  std::int64_t cache_bytes = 0;         ///< last level: buffers are at least four times as large
  std::int64_t most_bytes = 1LL << 30;  ///< of all buffers together
  double seconds = 0.3;                 ///< for each of the five figures
};

/// Peaks of this machine as measured with all threads at work: each thread's best of several trials by its own
/// processor time, summed. Disturbance by others only lowers them. 0: not measured.
struct Peaks {
  double copy_bytes_per_s = 0.0;  ///< read plus written, of a large copy
  double read_bytes_per_s = 0.0;  ///< of a large sum
  double fill_bytes_per_s = 0.0;  ///< of a large fill
  double f32_flops_per_s = 0.0;   ///< fused multiply-adds counted as 2
  double f64_flops_per_s = 0.0;
  std::string instructions;         ///< "avx512f", "avx2+fma", or "portable": then no arithmetic floor follows from it
  bool arithmetic_is_peak = false;  ///< false: compiled code may be faster than what was measured
  /// What no kernel exceeds, whatever it reads and writes.
  double bytes_per_s() const { return std::max({copy_bytes_per_s, read_bytes_per_s, fill_bytes_per_s}); }
};

/// Takes about 5 x seconds. Throws Error on a request without threads or memory that does not exceed the cache.
Peaks measure_peaks(const PeakRequest& request);

}  // namespace assay::timing
