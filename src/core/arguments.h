#pragma once
#include <string>
#include <string_view>

#include "core/contract.h"

namespace assay {

/// "i32", "u64", "f32", "bool", "ptr": as `args` spells it.
std::string_view name_of(CType type);

/// Integer types only: not floating, not bool, not a pointer.
bool is_integer(CType type);

/// Whether an argument of integer type `type` can hold `value`.
bool integer_fits(CType type, std::int64_t value);

/// Why a call at `axes` can't be made because a size doesn't fit its C type ("axis N = 4294967296 does not fit i32");
/// empty if all fit. Sizes are the axes and `workspace_bytes`.
std::string unfit_argument(const Contract& contract, const Entry& entry, const AxisValues& axes);

}  // namespace assay
