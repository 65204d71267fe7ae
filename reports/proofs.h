#pragma once
#include <span>
#include <string_view>

namespace assay::reports {

/// A kernel of fixtures/ and what tests hold it to, as its header says. The table is written by the build.
struct Proof {
  std::string_view fixture;
  bool guilty;
  std::string_view threats;  ///< ids, separated by spaces
  std::string_view checks;   ///< that convict a guilty one, or acquit an honest one
};

std::span<const Proof> proofs();

}  // namespace assay::reports
