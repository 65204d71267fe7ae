#pragma once
#include <string_view>
#include <vector>

#include "core/contract.h"
#include "core/depth.h"
#include "core/registry.h"
#include "core/seed.h"

namespace assay {

/// Shapes of one kind inside the contract's domain, the ones first that a small audit must not miss. One file each in
/// `shapes/`. What it returns may still lie outside
/// the domain (constraints): the plan drops and counts those.
struct ShapeFamily {
  std::string_view id;
  std::string_view summary;
  std::vector<AxisValues> (*draw)(const Contract&, Random&, int effort);
  int rank = 0;               ///< 0: production's own; the others take turns, low first
  Depth from = Depth::quick;  ///< the least depth that calls them: what a search loop never sees it can't learn
  bool boundless = false;     ///< memory alone limits their size; where they aren't called the report says so
  /// Shapes that are smaller in one axis, the smallest first: what a failing shape is shrunk to. May be null.
  std::vector<AxisValues> (*smaller)(const Contract&, const AxisValues&) = nullptr;
  std::source_location where = std::source_location::current();
};

}  // namespace assay
