#include "numerics/blocks.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "numerics/vectorised.h"

namespace assay {
namespace {

constexpr std::int64_t kEdge = 64;
constexpr std::int64_t kRun = 4096;
constexpr std::size_t kWorst = 8;

using Lanes = double __attribute__((vector_size(64)));

/// Eight lanes in a fixed order, then the rest one by one.
ASSAY_VECTORISED void sum_run(const double* rho, std::size_t length, double& squares, double& max) {
  Lanes lane_squares{}, lane_max{};
  std::size_t i = 0;
  for (; i + 8 <= length; i += 8) {
    Lanes x;
    std::memcpy(&x, rho + i, sizeof x);
    lane_squares += x * x;
    lane_max = x > lane_max ? x : lane_max;
  }
  for (std::size_t l = 0; l < 8; ++l) {
    squares += lane_squares[l];
    max = std::max(max, lane_max[l]);
  }
  for (; i < length; ++i) {
    squares += rho[i] * rho[i];
    max = std::max(max, rho[i]);
  }
}

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

/// Elements come in order, so the place is counted up rather than divided out.
Blocks::Segment Blocks::segment_at(std::int64_t index) const {
  if (!matrix_) return {static_cast<std::size_t>(index / kRun), kRun - index % kRun};
  const std::int64_t block = (first_block_ + row_ / kEdge) * blocks_along(columns_, kEdge) + column_ / kEdge;
  return {static_cast<std::size_t>(block), std::min(kEdge - column_ % kEdge, columns_ - column_)};
}

void Blocks::step(std::int64_t length) {
  column_ += length;
  if (column_ < columns_) return;
  column_ = 0;
  if (++row_ < rows_) return;
  row_ = 0;
  first_block_ += blocks_along(rows_, kEdge);
}

void Blocks::add(std::int64_t first, std::span<const double> rho) {
  while (!rho.empty()) {
    const Segment segment = segment_at(first);
    const auto length = std::min(static_cast<std::size_t>(segment.length), rho.size());
    Sum& sum = sums_[segment.block];
    double squares = 0.0, max = 0.0;
    sum_run(rho.data(), length, squares, max);
    if (sum.count == 0) sum.first = first;
    sum.squares += squares;
    sum.max = std::max(sum.max, max);
    sum.count += static_cast<std::int64_t>(length);
    step(static_cast<std::int64_t>(length));
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
