#pragma once
#include "core/call.h"
#include "core/tensor.h"

namespace assay {

/// What the contract lets a check do to the values of a tensor (CONTRACT.md, "Tensors" and "Fine print"). A kernel may
/// rely on everything else.
struct Freedom {
  bool changes = false;       ///< an input that isn't static
  bool continuous = false;    ///< floats that may be anything between `low` and `high`
  bool exchangeable = false;  ///< drawn one by one from the same set: any order is as good
  bool zero = false;          ///< zero is among them
  bool both_signs = false;    ///< so are numbers of either sign
  bool not_finite = false;    ///< so are NaN and infinities
  bool negative_zero = false;
  double denormal = 0.0;  ///< the smallest number of the type, where denormals are among them; else 0
  double low = 0.0, high = 0.0;
  double centre = 0.0;  ///< mean of a typical element
  double spread = 0.0;  ///< a typical distance from it
  int reach = 0;        ///< powers of two by which typical values can shrink and stay accurate in their type

  /// The weakest lifetime under which these values may change while the pointers stay.
  Lifetime change_in_place = Lifetime::fixed_address;
  /// To be applied last: back into the range.
  ClampEdit clamp() const { return {low, high}; }
};

Freedom freedom_of(const Contract& contract, const Tensor& tensor);

/// A value that one element of the tensor could have had: at one end of what is typical, or any where there are few;
/// nothing where single elements aren't free. `pick` is random.
std::optional<double> one_value(const Freedom& freedom, const ConcreteTensor& tensor, std::uint64_t pick);

/// Where element `column` of last-axis row `row` lies, as edits say it: in [0, 1).
double place_of(const ConcreteTensor& tensor, std::int64_t row, std::int64_t column);

/// Number of last-axis rows; and their length.
std::int64_t rows_of(const ConcreteTensor& tensor);
std::int64_t columns_of(const ConcreteTensor& tensor);

}  // namespace assay
