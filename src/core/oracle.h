#pragma once
#include <map>
#include <span>
#include <string_view>
#include <variant>

#include "core/registry.h"
#include "core/tensor.h"

namespace assay {

/// The truth of one output whose elements are real numbers, element by element in row-major order.
struct RealTruth {
  std::vector<double> value;  ///< rounded once from a wider evaluation
  std::vector<double>
      scale;       ///< >= 0: the magnitude that roundoff is measured against, such as (|A||B|)_ij (NUMERICS.md)
  double n = 1.0;  ///< its longest reduction, else its number of operations
  /// What rounding intermediate tensors to the promised precision adds, where sums are wider (the weights of attention,
  /// the middle of an MLP): the largest √(sum of squared terms) / scale over the elements.
  double between = 0.0;
  /// A matrix unit without float32 makes its products of three narrower ones, which is honest.
  bool matrix_unit = false;
};

/// The truth of one output that must be equal: bytes in the tensor's own dtype, row-major without gaps.
struct ExactTruth {
  std::vector<std::byte> bytes;
};

using Truth = std::variant<RealTruth, ExactTruth>;

/// A call as an oracle sees it: its own argument names bound to the judge's copies of inputs, and to scalars.
struct OracleCall {
  std::map<std::string, ConstTensorView, std::less<>>
      tensors;  ///< inputs; outputs with their shape, data null or, for inout, old contents
  std::map<std::string, double, std::less<>> scalars;
  std::map<std::string, std::string, std::less<>> options;
};

/// Bytes that must move and operations that must happen (TIMING.md, "Physics floor").
struct Cost {
  double bytes = 0.0;
  double flops = 0.0;
};

enum class OracleArgKind : std::uint8_t { input, output, inout, scalar };

struct OracleArg {
  std::string_view name;
  OracleArgKind kind = OracleArgKind::input;
  bool required = true;
  double preset = 0.0;  ///< of an optional scalar
};

/// The argument of an oracle that names what decides all draws: two values of it give independent draws.
inline constexpr std::string_view kSeedArgument = "seed";

/// Truth by argument name, or why this call has none (shapes that don't fit the operator).
using OracleAnswer = std::variant<std::map<std::string, Truth, std::less<>>, std::string>;

/// One property that outputs must have where they aren't unique, as measured on them (NUMERICS.md, "Property oracles").
struct Property {
  std::string output;         ///< the argument that is at fault where it doesn't hold
  std::string claim;          ///< "the columns of q are orthonormal"
  double residual = 0.0;      ///< error relative to its size, or how many elements break the property
  double roundings = 0.0;     ///< that an honest kernel piles up in the residual; 0: it must hold exactly
  std::int64_t elements = 0;  ///< that it was measured over
  std::int64_t index = -1;    ///< the worst element of `output`, or the first that breaks it, row-major; -1: none
};

/// What was measured, or why the call has no truth.
using PropertyAnswer = std::variant<std::vector<Property>, std::string>;

/// The mathematical truth of an operator. One file each in `reference/`. A property oracle has `examine` in place of
/// `evaluate`: it is given the outputs too.
struct Oracle {
  std::string_view id;
  std::string_view summary;
  std::span<const OracleArg> args;
  OracleAnswer (*evaluate)(const OracleCall&);
  Cost (*cost)(const OracleCall&);  ///< may be null: no floor
  PropertyAnswer (*examine)(const OracleCall&) = nullptr;
  /// Outputs are sums of products of inputs, and every usual way to compute them is exact where all partial sums are.
  bool exact_sums = false;
  std::source_location where = std::source_location::current();
};

}  // namespace assay
