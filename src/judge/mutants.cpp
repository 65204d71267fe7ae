#include "judge/mutants.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "numerics/float_formats.h"
#include "verdict/traces.h"

namespace assay {
namespace {

/// A result as numbers, to be changed and put back.
class Grid {
 public:
  Grid(const ConcreteTensor& tensor, DType dtype, const Bytes& bytes)
      : dtype_(dtype), columns_(tensor.shape.empty() ? 1 : tensor.shape.back()) {
    const auto size = static_cast<std::size_t>(info(dtype).bytes);
    for (std::size_t at = 0; at < bytes.size(); at += size) values_.push_back(load_element(dtype, bytes.data() + at));
  }

  std::int64_t columns() const { return columns_; }
  std::int64_t rows() const { return static_cast<std::int64_t>(values_.size()) / columns_; }
  double& at(std::int64_t row, std::int64_t column) {
    return values_[static_cast<std::size_t>(row * columns_ + column)];
  }
  std::vector<double>& values() { return values_; }

  Bytes bytes() const {
    const auto size = static_cast<std::size_t>(info(dtype_).bytes);
    Bytes bytes(values_.size() * size);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      store_element(dtype_, bytes.data() + i * size, values_[i], Overflow::saturate);
    }
    return bytes;
  }

 private:
  DType dtype_;
  std::int64_t columns_;
  std::vector<double> values_;
};

double mean_of(const double* first, std::int64_t count) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < count; ++i) sum += std::isfinite(first[i]) ? first[i] : 0.0;
  return count > 0 ? sum / static_cast<double>(count) : 0.0;
}

struct Maker {
  std::string_view group, name;
  std::int64_t fewest_rows, fewest_columns;
  void (*change)(Grid&, Random&);
};

void to_zero(Grid& g, Random&) {
  std::fill(g.values().begin(), g.values().end(), 0.0);
}
void to_mean(Grid& g, Random&) {
  const double mean = mean_of(g.values().data(), g.rows() * g.columns());
  std::fill(g.values().begin(), g.values().end(), mean);
}
void to_row_means(Grid& g, Random&) {
  for (std::int64_t r = 0; r < g.rows(); ++r) {
    const double mean = mean_of(&g.at(r, 0), g.columns());
    for (std::int64_t c = 0; c < g.columns(); ++c) g.at(r, c) = mean;
  }
}
/// The same mean and spread, in no order: the elements themselves, drawn with replacement.
void to_random(Grid& g, Random& random) {
  const std::vector<double> from = g.values();
  for (double& value : g.values()) value = from[random.below(from.size())];
}
void lose_row(Grid& g, Random&) {
  for (std::int64_t c = 0; c < g.columns(); ++c) g.at(g.rows() - 1, c) = 0.0;
}
void lose_column(Grid& g, Random&) {
  for (std::int64_t r = 0; r < g.rows(); ++r) g.at(r, g.columns() - 1) = 0.0;
}
void lose_tile(Grid& g, Random&) {
  for (std::int64_t r = g.rows() / 2; r < std::min(g.rows(), g.rows() / 2 + 16); ++r) {
    for (std::int64_t c = 0; c < std::min<std::int64_t>(g.columns(), 16); ++c) g.at(r, c) = 0.0;
  }
}
void lose_half(Grid& g, Random&) {
  for (std::size_t i = g.values().size() / 2; i < g.values().size(); ++i) g.values()[i] = 0.0;
}
void swap_rows(Grid& g, Random&) {
  for (std::int64_t c = 0; c < g.columns(); ++c) std::swap(g.at(0, c), g.at(g.rows() - 1, c));
}
void shift(Grid& g, Random&) {
  std::rotate(g.values().begin(), g.values().begin() + 1, g.values().end());
}
void repeat_first_row(Grid& g, Random&) {
  for (std::int64_t r = 1; r < g.rows(); ++r) {
    for (std::int64_t c = 0; c < g.columns(); ++c) g.at(r, c) = g.at(0, c);
  }
}
void mirror_rows(Grid& g, Random&) {
  for (std::int64_t r = 0; r < g.rows(); ++r) std::reverse(&g.at(r, 0), &g.at(r, 0) + g.columns());
}

constexpr std::array<Maker, 12> kMakers{{{"null model", "zeros", 1, 1, to_zero},
                                         {"null model", "their mean everywhere", 1, 2, to_mean},
                                         {"null model", "the mean of each row", 1, 2, to_row_means},
                                         {"null model", "results in no order", 1, 2, to_random},
                                         {"lost work", "the last row is missing", 2, 1, lose_row},
                                         {"lost work", "the last column is missing", 1, 2, lose_column},
                                         {"lost work", "a tile is missing", 2, 2, lose_tile},
                                         {"lost work", "the second half is missing", 1, 2, lose_half},
                                         {"wrong place", "the first and the last row change places", 2, 1, swap_rows},
                                         {"wrong place", "everything is shifted by one", 1, 2, shift},
                                         {"wrong place", "the first row stands for all", 2, 1, repeat_first_row},
                                         {"wrong place", "rows run backwards", 1, 2, mirror_rows}}};

}  // namespace

std::vector<Mutant> mutants_of(const ConcreteTensor& tensor, DType dtype, const Bytes& right, const Bytes& other,
                               Random& random) {
  std::vector<Mutant> mutants;
  for (const Maker& maker : kMakers) {
    Grid grid(tensor, dtype, right);
    if (grid.rows() < maker.fewest_rows || grid.columns() < maker.fewest_columns) continue;
    maker.change(grid, random);
    mutants.push_back({std::string(maker.group), std::string(maker.name), grid.bytes()});
  }
  if (!other.empty()) mutants.push_back({"null model", "the result of the call before", other});
  return mutants;
}

std::vector<Mutant> narrowed_results(const ConcreteTensor& tensor, DType dtype, const Bytes& right, int promised) {
  std::vector<Mutant> mutants;
  for (const NarrowFormat& format : narrow_formats()) {
    if (format.toward_zero || format.bits >= std::min(promised, info(dtype).significand_bits)) continue;
    Grid grid(tensor, dtype, right);
    for (double& value : grid.values()) value = to_bits(value, format.bits);
    mutants.push_back({"precision", "results rounded to " + std::string(format.name), grid.bytes()});
  }
  return mutants;
}

std::vector<Mutant> tamed_results(const ConcreteTensor& tensor, DType dtype, const Bytes& right) {
  const auto changed = [&](std::string name, auto&& change) -> Mutant {
    Grid grid(tensor, dtype, right);
    for (double& value : grid.values()) value = change(value);
    return {"special values", std::move(name), grid.bytes()};
  };
  const double largest = limits_of(dtype).largest;
  return {changed("NaN replaced by 0", [](double v) { return std::isnan(v) ? 0.0 : v; }),
          changed("infinities replaced by the largest number",
                  [&](double v) { return std::isinf(v) ? std::copysign(largest, v) : v; })};
}

Bytes rounded(const Truth& truth, DType dtype) {
  if (const auto* exact = std::get_if<ExactTruth>(&truth)) return exact->bytes;
  const auto& values = std::get<RealTruth>(truth).value;
  const auto size = static_cast<std::size_t>(info(dtype).bytes);
  Bytes bytes(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) store_element(dtype, bytes.data() + i * size, values[i]);
  return bytes;
}

}  // namespace assay
