#include "numerics/rearrange.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "numerics/float_formats.h"
#include "numerics/philox.h"

namespace assay {
namespace {

/// Keyed by the edit alone, not by the tensor: two tensors can change together.
StreamReader random_of(std::uint64_t key, std::string_view use) {
  return StreamReader(derive_key(StreamKey{}, key, use));
}

double get(const EditedTensor& tensor, std::int64_t index) {
  return load_element(tensor.dtype, tensor.at(index));
}

void set(const EditedTensor& tensor, std::int64_t index, double value) {
  store_element(tensor.dtype, tensor.at(index), value, Overflow::saturate);
}

void copy(const EditedTensor& tensor, std::int64_t to, std::int64_t from) {
  if (to != from) std::memcpy(tensor.at(to), tensor.at(from), tensor.size());
}

/// How a matrix of last-axis rows falls into blocks.
struct Blocks {
  std::int64_t height, width, across, count;

  Blocks(const EditedTensor& tensor, std::int64_t rows, std::int64_t columns)
      : height(rows > 0 ? rows : tensor.rows()), width(columns > 0 ? columns : tensor.columns()) {
    across = (tensor.columns() + width - 1) / width;
    count = across * ((tensor.rows() + height - 1) / height);
  }
};

/// Calls f(number of the block, index of the element).
template <class F>
void each_in_blocks(const EditedTensor& tensor, const Blocks& blocks, F&& f) {
  for (std::int64_t r = 0; r < tensor.rows(); ++r) {
    for (std::int64_t c = 0; c < tensor.columns(); ++c) {
      f(static_cast<std::size_t>(r / blocks.height * blocks.across + c / blocks.width), r * tensor.columns() + c);
    }
  }
}

}  // namespace

void Rearranger::operator()(const ScaleBlocksEdit& edit) const {
  const Blocks blocks(tensor, edit.rows, edit.columns);
  StreamReader random = random_of(edit.key, "blocks");
  const auto steps = static_cast<std::uint64_t>(std::abs(edit.to - edit.from)) + 1;
  std::vector<int> exponents(static_cast<std::size_t>(blocks.count));
  for (int& exponent : exponents) {
    const int step = static_cast<int>(random.below(steps));
    exponent = edit.from + (edit.to < edit.from ? -step : step);
  }
  each_in_blocks(tensor, blocks, [&](std::size_t block, std::int64_t index) {
    set(tensor, index, std::ldexp(get(tensor, index), exponents[block]));
  });
}

void Rearranger::operator()(const ScaleTailEdit& edit) const {
  for (std::int64_t i = edit.first * tensor.columns(); i < tensor.elements; ++i) {
    set(tensor, i, std::ldexp(get(tensor, i), edit.exponent));
  }
}

void Rearranger::operator()(const ZeroTailEdit& edit) const {
  const std::int64_t columns = tensor.columns();
  const auto wanted = std::max<std::int64_t>(1, std::llround(edit.share * static_cast<double>(columns)));
  const std::int64_t first = columns - std::min(columns, wanted);
  for (std::int64_t i = 0; i < tensor.elements; ++i) {
    if (i % columns >= first) set(tensor, i, 0.0);
  }
}

void Rearranger::operator()(const FlushEdit&) const {
  if (!is_floating(tensor.dtype)) return;
  const double least = limits_of(tensor.dtype).smallest_normal;
  for (std::int64_t i = 0; i < tensor.elements; ++i) {
    const double value = get(tensor, i);
    if (std::fabs(value) < least) set(tensor, i, std::copysign(0.0, value));
  }
}

void Rearranger::operator()(const ZeroBlocksEdit& edit) const {
  const Blocks blocks(tensor, edit.rows, edit.columns);
  StreamReader random = random_of(edit.key, "blocks");
  std::vector<char> zero(static_cast<std::size_t>(blocks.count));
  for (char& each : zero) each = random.unit() < edit.share;
  each_in_blocks(tensor, blocks, [&](std::size_t block, std::int64_t index) {
    if (zero[block]) set(tensor, index, 0.0);
  });
}

void Rearranger::operator()(const SprinkleEdit& edit) const {
  if (edit.values.empty()) return;
  StreamReader random = random_of(edit.key, "sprinkle");
  const auto count = std::max<std::int64_t>(std::llround(edit.share * static_cast<double>(tensor.elements)), 1);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(tensor.elements)));
    store_element(tensor.dtype, tensor.at(index), edit.values[random.below(edit.values.size())]);
  }
}

void Rearranger::operator()(const SortEdit& edit) const {
  const auto columns = static_cast<std::size_t>(tensor.columns());
  std::vector<double> keys(columns);
  std::vector<std::size_t> order(columns);
  std::vector<std::byte> old(columns * tensor.size());
  for (std::int64_t r = 0; r < tensor.rows(); ++r) {
    std::byte* row = tensor.at(r * tensor.columns());
    std::memcpy(old.data(), row, old.size());
    for (std::size_t c = 0; c < columns; ++c) keys[c] = load_element(tensor.dtype, row + c * tensor.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const double x = keys[edit.descending ? b : a], y = keys[edit.descending ? a : b];
      return x < y || (!std::isnan(x) && std::isnan(y));  // NaN is the largest
    });
    for (std::size_t c = 0; c < columns; ++c) {
      std::memcpy(row + c * tensor.size(), old.data() + order[c] * tensor.size(), tensor.size());
    }
  }
}

void Rearranger::operator()(const TieEdit& edit) const {
  StreamReader random = random_of(edit.key, "ties");
  const std::int64_t levels = std::min(std::max<std::int64_t>(edit.levels, 1), tensor.columns());
  for (std::int64_t r = 0; r < tensor.rows(); ++r) {
    const std::int64_t first = r * tensor.columns();
    for (std::int64_t c = levels; c < tensor.columns(); ++c) {
      copy(tensor, first + c, first + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(levels))));
    }
  }
}

void Rearranger::operator()(const CancelEdit&) const {
  for (std::int64_t r = 0; r < tensor.rows(); ++r) {
    const std::int64_t first = r * tensor.columns();
    for (std::int64_t c = 1; c < tensor.columns(); c += 2) set(tensor, first + c, -get(tensor, first + c - 1));
  }
}

void Rearranger::operator()(const DiagonalEdit&) const {
  const std::int64_t height = tensor.shape.size() < 2 ? 1 : tensor.shape[tensor.shape.size() - 2];
  for (std::int64_t r = 0; r < tensor.rows(); ++r) {
    for (std::int64_t c = 0; c < tensor.columns(); ++c) {
      if (c != r % height) set(tensor, r * tensor.columns() + c, 0.0);
    }
  }
}

void Rearranger::operator()(const LowRankEdit& edit) const {
  StreamReader random = random_of(edit.key, "low rank");
  const std::int64_t rank = std::max<std::int64_t>(edit.rank, 1), columns = tensor.columns();
  for (std::int64_t r = rank; r < tensor.rows(); ++r) {
    const auto from = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(rank)));
    const int halvings = static_cast<int>(random.below(4));
    for (std::int64_t c = 0; c < columns; ++c) {
      set(tensor, r * columns + c, std::ldexp(get(tensor, from * columns + c), -halvings));
    }
  }
}

void Rearranger::operator()(const PermuteEdit& edit) const {
  const std::int64_t slices = tensor.shape.empty() ? 1 : tensor.shape.front();
  const std::size_t bytes = static_cast<std::size_t>(tensor.elements / slices) * tensor.size();
  StreamReader random = random_of(edit.key, "permute");
  for (std::int64_t i = slices - 1; i > 0; --i) {
    const std::uint64_t other = random.below(static_cast<std::uint64_t>(i) + 1);
    std::byte* slice = tensor.data + static_cast<std::size_t>(i) * bytes;
    if (other != static_cast<std::uint64_t>(i)) std::swap_ranges(slice, slice + bytes, tensor.data + other * bytes);
  }
}

void Rearranger::operator()(const OneRunEdit& edit) const {
  const std::int64_t columns = tensor.columns();
  if (columns < 2) return;
  const double place = std::floor(edit.where * static_cast<double>(columns - 1));
  const std::int64_t step = 1 + std::clamp<std::int64_t>(static_cast<std::int64_t>(place), 0, columns - 2);
  for (std::int64_t r = 0; r < tensor.rows(); ++r) {
    const std::int64_t first = r * columns, last = first + columns - 1;
    for (std::int64_t c = 1; c < columns - 1; ++c) copy(tensor, first + c, c < step ? first : last);
  }
}

void Rearranger::operator()(const IntegersEdit& edit) const {
  StreamReader random = random_of(edit.key, "integers");
  const auto count = static_cast<std::uint64_t>(edit.high - edit.low) + 1;
  for (std::int64_t i = 0; i < tensor.elements; ++i) {
    set(tensor, i, static_cast<double>(edit.low + static_cast<std::int64_t>(random.below(count))));
  }
}

void Rearranger::operator()(const OneHotEdit& edit) const {
  StreamReader random = random_of(edit.key, "one-hot");
  const std::uint64_t steps = std::uint64_t{1} << edit.bits;
  std::fill_n(tensor.data, static_cast<std::size_t>(tensor.elements) * tensor.size(), std::byte{});
  for (std::int64_t r = 0; r < tensor.rows(); ++r) {
    const auto column = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(tensor.columns())));
    const double value = 1.0 + static_cast<double>(random.below(steps)) / static_cast<double>(steps);
    const bool negative = random.below(2) == 1 && edit.both_signs;
    set(tensor, r * tensor.columns() + column, std::ldexp(negative ? -value : value, edit.exponent));
  }
}

}  // namespace assay
