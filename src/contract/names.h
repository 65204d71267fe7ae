#pragma once
#include "contract/reader.h"

namespace assay::contract {

/// Collects the names of axes, tensors and params and reports those that are malformed, reserved or taken. Comes first,
/// so that a mistake inside a declaration doesn't make its name unknown elsewhere.
void declare_names(Reader& reader, const Node& root);

/// Letters, digits and underscores, not beginning with a digit.
bool is_identifier(std::string_view text);

/// Smallest and largest finite number of an element type (of 64-bit integers: those that a double holds exactly).
ValueRange finite_range(DType dtype);

/// Empty if a tensor or param of `dtype` can hold `value`, else why not.
std::string unfit_value(DType dtype, double value);

}  // namespace assay::contract
