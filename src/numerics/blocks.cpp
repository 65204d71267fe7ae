#include "numerics/blocks.h"

#include <algorithm>
#include <cmath>

namespace assay {
namespace {

constexpr std::int64_t kEdge = 64;
constexpr std::int64_t kRun = 4096;
constexpr std::size_t kWorst = 8;

std::int64_t blocks_along(std::int64_t size, std::int64_t edge) {
  return (size + edge - 1) / edge;
}

}  // namespace

Blocks::Blocks(std::span<const std::int64_t> shape, std::int64_t elements) {
  matrix_ = shape.size() >= 2 && shape.back() >= kEdge && shape[shape.size() - 2] >= 2;
  std::int64_t count = blocks_along(elements, kRun);
  if (matrix_) {
    rows_ = shape[shape.size() - 2];
    columns_ = shape.back();
    count = elements / (rows_ * columns_) * blocks_along(rows_, kEdge) * blocks_along(columns_, kEdge);
  }
  sums_.resize(static_cast<std::size_t>(count));
}

Blocks::Segment Blocks::segment_at(std::int64_t index) const {
  if (!matrix_) return {static_cast<std::size_t>(index / kRun), kRun - index % kRun};
  const std::int64_t row = index / columns_, column = index % columns_;
  const std::int64_t down = row / rows_ * blocks_along(rows_, kEdge) + row % rows_ / kEdge;
  const std::int64_t block = down * blocks_along(columns_, kEdge) + column / kEdge;
  return {static_cast<std::size_t>(block), std::min(kEdge - column % kEdge, columns_ - column)};
}

void Blocks::add(std::int64_t first, std::span<const double> rho) {
  while (!rho.empty()) {
    const Segment segment = segment_at(first);
    const auto length = std::min(static_cast<std::size_t>(segment.length), rho.size());
    Sum& sum = sums_[segment.block];
    double squares[4] = {}, max[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= length; i += 4) {
      for (std::size_t l = 0; l < 4; ++l) {
        squares[l] += rho[i + l] * rho[i + l];
        max[l] = std::max(max[l], rho[i + l]);
      }
    }
    for (; i < length; ++i) {
      squares[0] += rho[i] * rho[i];
      max[0] = std::max(max[0], rho[i]);
    }
    if (sum.count == 0) sum.first = first;
    sum.squares += (squares[0] + squares[1]) + (squares[2] + squares[3]);
    sum.max = std::max({sum.max, max[0], max[1], max[2], max[3]});
    sum.count += static_cast<std::int64_t>(length);
    first += static_cast<std::int64_t>(length);
    rho = rho.subspan(length);
  }
}

void Blocks::summarise(ErrorProfile& profile) const {
  std::vector<BlockError> all;
  for (const Sum& sum : sums_) {
    if (sum.count > 0) all.push_back({sum.first, std::sqrt(sum.squares / static_cast<double>(sum.count)), sum.max});
  }
  profile.blocks = static_cast<std::int64_t>(all.size());
  std::stable_sort(all.begin(), all.end(), [](const BlockError& a, const BlockError& b) { return a.rms > b.rms; });
  if (!all.empty()) profile.median_block_rms = all[all.size() / 2].rms;
  all.resize(std::min(all.size(), kWorst));
  profile.worst_blocks = std::move(all);
}

}  // namespace assay
