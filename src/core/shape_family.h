#pragma once
#include <string_view>
#include <vector>

#include "core/contract.h"
#include "core/registry.h"
#include "core/seed.h"

namespace assay {

/// Shapes of one kind inside the contract's domain. One file each in `shapes/`. What it returns may still lie outside
/// the domain (constraints): the plan drops and counts those.
struct ShapeFamily {
  std::string_view id;
  std::string_view summary;
  std::vector<AxisValues> (*draw)(const Contract&, Random&, int effort);
  int rank = 0;  ///< order of importance: low first
  std::source_location where = std::source_location::current();
};

}  // namespace assay
