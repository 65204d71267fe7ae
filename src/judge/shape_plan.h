#pragma once
#include <string>
#include <vector>

#include "core/depth.h"
#include "core/seed.h"
#include "core/shape_family.h"
#include "core/tensor.h"

namespace assay {

/// The shapes of an audit, and what was left out and why.
struct ShapePlan {
  std::vector<ConcreteShape> shapes;  ///< most important first, none twice
  std::vector<std::string> not_covered;
};

/// What one call may take: production shapes up to `memory_bytes`, others up to what the depth allows.
struct ShapeBudget {
  Depth depth = Depth::standard;
  std::int64_t memory_bytes = 0;
};

/// Asks every registered family, drops what lies outside the domain, fits no C type or is too large.
ShapePlan plan_shapes(const Contract& contract, const Entry& entry, const ShapeBudget& budget, Random& random);

bool is_production(const Contract& contract, const AxisValues& axes);

}  // namespace assay
