#pragma once
#include <cstdint>
#include <vector>

#include "core/contract.h"
#include "core/seed.h"

namespace assay {

/// The nearest size at or below `size` that the axis may have, else the nearest above.
std::int64_t round_into(const Axis& axis, std::int64_t size);

/// Sizes beside tile sizes, primes, 0, 1, 2 and both ends of the axis; sorted, each once.
std::vector<std::int64_t> edge_sizes(const Axis& axis);

/// A size for an axis that isn't the one under test: small, and rarely the same.
std::int64_t company(const Axis& axis, Random& random);

}  // namespace assay
