#pragma once
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/oracle.h"
#include "reference/wide.h"

/// Theory of operation. An oracle is a function in double precision or better, with fixed order of operations, from the
/// judge's copies of a call's inputs to the truth of its outputs. For each element it also says against what magnitude
/// roundoff is measured (`scale`) and how many roundings pile up (`n`); verdict/ turns both into a bound. Inputs of 32
/// bits or fewer are summed in plain double, whose roundoff is 2^-29 of theirs; float64 inputs in twice the precision.
/// Shapes that don't fit the operator are answered with a sentence, thrown as Misfit and caught by `answer`.
namespace assay {

/// Why a call has no truth.
struct Misfit {
  std::string why;
};

using Outputs = std::map<std::string, Truth, std::less<>>;

/// Runs `work`, which returns Outputs, and turns a Misfit into the string answer.
template <class Work>
OracleAnswer answer(Work&& work) {
  try {
    return Outputs(work());
  } catch (const Misfit& misfit) {
    return misfit.why;
  }
}

/// The same for `work` that returns properties.
template <class Work>
PropertyAnswer properties(Work&& work) {
  try {
    return std::vector<Property>(work());
  } catch (const Misfit& misfit) {
    return misfit.why;
  }
}

/// The arguments of a call by name; everything that doesn't fit is a Misfit that names the argument.
class Operands {
 public:
  explicit Operands(const OracleCall& call) : call_(call) {}
  bool has(std::string_view name) const { return call_.tensors.find(name) != call_.tensors.end(); }
  const ConstTensorView& view(std::string_view name) const;
  double scalar(std::string_view name, double preset) const;
  bool flag(std::string_view name) const { return scalar(name, 0.0) != 0.0; }
  std::int64_t whole(std::string_view name, double preset) const;  ///< a scalar that must be a whole number
  /// Elements in row-major order as doubles; for 64-bit integers use `integers`.
  std::vector<double> doubles(std::string_view name) const;
  std::vector<std::int64_t> integers(
      std::string_view name) const;  ///< of an integer tensor other than uint64 above 2^63
  /// Elements of any type without rounding. Of an output too, whatever it holds.
  std::vector<long double> exact(std::string_view name) const;
  std::vector<std::uint64_t> bits(std::string_view name) const;  ///< of each element, all NaN alike
  std::string option(std::string_view name, std::string_view preset) const;
  void same_shape(std::string_view a, std::string_view b) const;
  void rank(std::string_view name, std::size_t least) const;
  const OracleCall& call() const { return call_; }

 private:
  const OracleCall& call_;
};

/// Whether sums of these inputs need more than double: any is float64.
bool needs_twice(const Operands& operands, std::initializer_list<std::string_view> inputs);

std::string shape_text(std::span<const std::int64_t> shape);

/// A truth of `size` zeros with zero scale.
RealTruth blank_truth(std::int64_t size, double n);

/// Bytes of an integer result in the type of `out`. A value outside its range is a Misfit: outside the domain.
ExactTruth integer_truth(const ConstTensorView& out, std::span<const Int128> values, std::string_view name);

/// Every tensor of the call read or written once, and `flops` operations.
Cost touch_once(const OracleCall& call, double flops);
double elements_of(const OracleCall& call, std::string_view name);

/// Rows along the last axis: `count` rows of `size` elements.
struct Rows {
  std::int64_t count = 0, size = 1;
};
Rows rows_of(const ConstTensorView& view);

}  // namespace assay
