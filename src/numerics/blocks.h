#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "numerics/error_profile.h"

namespace assay {

/// RMS and maximum of scaled errors by block: 64 x 64 of the last two axes where a row has at least 64 elements and
/// there are at least two rows, else 4096 elements in a row.
class Blocks {
 public:
  Blocks(std::span<const std::int64_t> shape, std::int64_t elements);
  /// Adds the errors of the elements first, first + 1, …; in order, from element 0 on.
  void add(std::int64_t first, std::span<const double> rho);
  /// Fills the block fields of a profile.
  void summarise(ErrorProfile& profile) const;

 private:
  struct Sum {
    double squares = 0.0, max = 0.0;
    std::int64_t count = 0, first = 0;
  };
  struct Segment {
    std::size_t block;
    std::int64_t length;  ///< elements from here that lie in the same block
  };
  Segment segment_at(std::int64_t index) const;
  void step(std::int64_t length);

  bool matrix_ = false;
  std::int64_t rows_ = 1, columns_ = 1;
  std::int64_t row_ = 0, column_ = 0,
               first_block_ = 0;  ///< of the next element: row and column, block rows before its matrix
  std::vector<Sum> sums_;
};

}  // namespace assay
