#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/contract.h"
#include "roi/profile.h"

namespace assay::roi {

/// `[[shapes]]` of a contract from the calls of the kernels that `picks` takes (empty: all), most called first; weights
/// are shares of the calls. With a contract its axes get their sizes where the inputs fit its tensors, leading
/// dimensions folded if need be; else axes are named for input and dimension (in0_d1) and a comment says so. Throws
/// assay::Error (exit 2) where the profile has no shapes.
std::string shapes_toml(const Profile& profile, const std::function<bool(std::string_view)>& picks,
                        const Contract* contract = nullptr);

/// The axes at which the contract's inputs, in order, have these sizes; nothing if they don't fit or an axis stays
/// unknown.
std::optional<AxisValues> axes_of(const Contract& contract, const std::vector<std::vector<std::int64_t>>& dims);

}  // namespace assay::roi
