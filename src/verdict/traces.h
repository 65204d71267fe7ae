#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/oracle.h"

/// Traces that arithmetic with fewer bits leaves, whatever the tolerance.
namespace assay {

/// A format by its significant bits, the leading one included.
struct NarrowFormat {
  int bits = 0;
  bool toward_zero = false;  ///< how it is rounded to
  std::string_view name;     ///< "bfloat16"
};

/// Finest first. tf32 and float16 have as many bits.
std::span<const NarrowFormat> narrow_formats();

/// The nearest number with so many significant bits.
double to_bits(double value, int bits);

/// How much of the change that a suspected rounding makes to outputs is in their errors.
struct Likeness {
  double share = 0.0;          ///< regression of the error on the change: 1 where it is all there, 0 where none
  double deviation = 0.0;      ///< standard deviation of `share`
  double rms_error = 0.0;      ///< of the error
  double rms_change = 0.0;     ///< of the change
  std::int64_t elements = 0;   ///< that the change moves
  bool convicts() const;       ///< the error is of that making, beyond chance
  bool far_too_small() const;  ///< the error: no such or coarser rounding can be in it
};

/// `actual`: the outputs; `altered`: the truth for rounded inputs. Each element counts by its scale.
Likeness likeness(const ConstTensorView& actual, const RealTruth& truth, const RealTruth& altered);

/// Outputs that fit a format which is narrower than `promised` bits and than their own type.
struct NarrowOutputs {
  NarrowFormat format;
  std::int64_t elements = 0;  ///< finite ones besides zero
  double fitting = 0.0;       ///< share of them that has no more bits
  double rounded = 0.0;       ///< share of them that is the truth rounded to the format
};
std::optional<NarrowOutputs> narrow_outputs(const ConstTensorView& actual, const RealTruth& truth, int promised);

}  // namespace assay
