#include <algorithm>
#include <array>

#include "reference/operands.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 8> kArgs{{
    {"q", OracleArgKind::input},
    {"k", OracleArgKind::input},
    {"v", OracleArgKind::input},
    {"o", OracleArgKind::output},
    {"scale", OracleArgKind::scalar},
    {"causal", OracleArgKind::scalar, false, 0.0},
    {"q_offsets", OracleArgKind::input, false},
    {"kv_offsets", OracleArgKind::input, false},
}};

/// Scaling, difference, exponential (a few units), rescaling and division come on top of the sums.
constexpr double kOperations = 8;

/// The rows of one head of one sequence.
struct Strip {
  const double* first;
  std::int64_t step, rows, size;
  const double* row(std::int64_t r) const { return first + r * step; }
};

/// Batches and sequences alike: `count` blocks of rows per head, ragged ones of any length.
struct Layout {
  bool ragged = false;
  std::int64_t blocks = 1, heads = 1, groups = 1;  ///< heads of q, heads of k and v
  std::vector<std::int64_t> q_offsets, kv_offsets;
};

std::int64_t extent(const Operands& o, std::string_view name, std::size_t from_last) {
  const auto shape = o.view(name).shape;
  return from_last < shape.size() ? shape[shape.size() - 1 - from_last] : 1;
}

void check_sizes(const Operands& o, const Layout& layout) {
  const auto fail = [&](const std::string& why) {
    throw Misfit{"q " + shape_text(o.view("q").shape) + ", k " + shape_text(o.view("k").shape) + ", v " +
                 shape_text(o.view("v").shape) + " and o " + shape_text(o.view("o").shape) + ": " + why};
  };
  const std::size_t rows = layout.ragged ? 2 : 1;
  if (extent(o, "q", 0) != extent(o, "k", 0)) fail("vectors of q and k differ in size");
  if (extent(o, "v", 0) != extent(o, "o", 0)) fail("vectors of v and o differ in size");
  if (extent(o, "q", rows) != extent(o, "o", rows)) fail("q and o differ in rows");
  if (extent(o, "k", rows) != extent(o, "v", rows)) fail("k and v differ in rows");
  const std::size_t heads = layout.ragged ? 1 : 2;
  if (extent(o, "q", heads) != extent(o, "o", heads) || extent(o, "k", heads) != extent(o, "v", heads))
    fail("heads differ");
  if (layout.groups == 0 || layout.heads % layout.groups != 0) fail("the heads of q are no multiple of those of k");
}

std::vector<std::int64_t> offsets_of(const Operands& o, std::string_view name, std::string_view rows_of) {
  const std::vector<std::int64_t> offsets = o.integers(name);
  const bool ends = !offsets.empty() && offsets.front() == 0 && offsets.back() == extent(o, rows_of, 2);
  if (!ends || !std::is_sorted(offsets.begin(), offsets.end())) {
    throw Misfit{"outside the domain: " + std::string(name) + " must rise from 0 to the rows of " +
                 std::string(rows_of)};
  }
  return offsets;
}

Layout layout_of(const Operands& o) {
  Layout layout;
  layout.ragged = o.has("q_offsets");
  if (layout.ragged != o.has("kv_offsets")) throw Misfit{"bind q_offsets and kv_offsets, or neither"};
  for (const char* name : {"q", "k", "v", "o"}) {
    if (layout.ragged && o.view(name).shape.size() != 3) throw Misfit{std::string(name) + " needs 3 axes when ragged"};
    o.rank(name, 2);
    const auto shape = o.view(name).shape, q = o.view("q").shape;
    const auto lead = [](auto s) { return s.size() > 3 ? s.first(s.size() - 3) : s.first(0); };
    if (shape.size() != q.size() || !std::equal(lead(q).begin(), lead(q).end(), lead(shape).begin()))
      throw Misfit{std::string(name) + " and q differ in their batch axes"};
  }
  layout.heads = extent(o, "q", layout.ragged ? 1 : 2);
  layout.groups = extent(o, "k", layout.ragged ? 1 : 2);
  check_sizes(o, layout);
  if (layout.ragged) {
    layout.q_offsets = offsets_of(o, "q_offsets", "q");
    layout.kv_offsets = offsets_of(o, "kv_offsets", "k");
    if (layout.q_offsets.size() != layout.kv_offsets.size()) throw Misfit{"q_offsets and kv_offsets differ in length"};
    layout.blocks = static_cast<std::int64_t>(layout.q_offsets.size()) - 1;
  } else {
    const auto shape = o.view("q").shape;
    for (std::size_t i = 0; i + 3 < shape.size(); ++i) layout.blocks *= shape[i];
  }
  return layout;
}

/// Where the rows of one head of one block lie, as an index into the tensor.
struct Place {
  std::int64_t first, step, rows;
};

Place place_of(const Operands& o, std::string_view name, const std::vector<std::int64_t>& offsets, std::int64_t block,
               std::int64_t heads, std::int64_t head) {
  const std::int64_t size = extent(o, name, 0);
  if (offsets.empty()) {
    const std::int64_t rows = extent(o, name, 1);
    return {(block * heads + head) * rows * size, size, rows};
  }
  const auto at = static_cast<std::size_t>(block);
  return {(offsets[at] * heads + head) * size, heads * size, offsets[at + 1] - offsets[at]};
}

/// One row of queries against its keys: scores, weights and what they add up to, in Real.
template <class Real>
class QueryRow {
 public:
  /// `size` is the length of its dot products, n what counts as the number of roundings of an output.
  QueryRow(double scale, std::int64_t size, double n)
      : scale_(scale), of_dot_(std::sqrt(static_cast<double>(size) / n)), of_one_(1.0 / std::sqrt(n)) {}

  /// Scores of the first `keys` keys; their roundoff is measured against scale |q| |k|.
  void score(const double* q, const Strip& k, std::int64_t keys) {
    keys_ = static_cast<std::size_t>(keys);
    scores_.resize(keys_);
    sizes_.resize(keys_);
    max_ = -INFINITY;
    for (std::size_t j = 0; j < keys_; ++j) {
      const double* row = k.row(static_cast<std::int64_t>(j));
      Real sum = 0, size = 0;
      for (std::int64_t i = 0; i < k.size; ++i) {
        const Real product = static_cast<Real>(q[i]) * row[i];
        sum += product;
        size += std::fabs(product);
      }
      scores_[j] = sum * scale_;
      sizes_[j] = static_cast<double>(size * std::fabs(scale_));
      max_ = std::max(max_, scores_[j]);
    }
  }

  void weigh() {
    long double sum = 0.0L;
    weights_.resize(keys_);
    for (std::size_t j = 0; j < keys_; ++j) {
      weights_[j] = std::exp(static_cast<long double>(scores_[j]) - max_);
      sum += weights_[j];
    }
    for (long double& weight : weights_) weight /= sum;
  }

  void output(const Strip& v, double* value, double* scale, double& between) const {
    const auto size = static_cast<std::size_t>(v.size);
    std::vector<Real> sums(size, 0);
    for (std::size_t j = 0; j < keys_; ++j) {
      const double* row = v.row(static_cast<std::int64_t>(j));
      for (std::size_t c = 0; c < size; ++c) sums[c] += static_cast<Real>(weights_[j]) * row[c];
    }
    for (std::size_t c = 0; c < size; ++c) value[c] = static_cast<double>(sums[c]);
    measure(v, value, scale, between);
  }

 private:
  /// To first order an error d of score j moves the output by p_j (v_j - o) d, where d is that of a dot product and of
  /// a few roundings of the score and the maximum. √(D / n) and 1 / √n make them count for D and one of n roundings. A
  /// kernel in a narrow type may round scores and weights in between, each by itself: these add up like √Σ.
  void measure(const Strip& v, const double* value, double* scale, double& between) const {
    for (std::int64_t c = 0; c < v.size; ++c) {
      double squares = 0.0, total = 0.0;
      for (std::size_t j = 0; j < keys_; ++j) {
        const double p = static_cast<double>(weights_[j]), each = v.row(static_cast<std::int64_t>(j))[c];
        const double score = std::fabs(static_cast<double>(scores_[j])), pull = p * std::fabs(each - value[c]);
        total += p * std::fabs(each) +
                 pull * (of_dot_ * sizes_[j] + of_one_ * (score + std::fabs(static_cast<double>(max_))));
        squares += p * p * each * each + pull * pull * score * score;
      }
      scale[c] = std::isfinite(total) ? total : 0.0;
      if (scale[c] > 0.0) between = std::max(between, std::sqrt(squares) / scale[c]);
    }
  }

  double scale_, of_dot_, of_one_;
  std::size_t keys_ = 0;
  Real max_ = 0;
  std::vector<Real> scores_;
  std::vector<long double> weights_;
  std::vector<double> sizes_;
};

/// What all heads share.
struct Job {
  const Operands& o;
  const Layout& layout;
  std::vector<double> q, k, v;
  bool causal = false;
  double scale = 1.0;
  RealTruth out;
};

template <class Real>
void attend(Job& job, std::int64_t block, std::int64_t head) {
  const Layout& l = job.layout;
  const std::int64_t group = head / (l.heads / l.groups);
  const Place q = place_of(job.o, "q", l.q_offsets, block, l.heads, head);
  const Place o = place_of(job.o, "o", l.q_offsets, block, l.heads, head);
  const Place k = place_of(job.o, "k", l.kv_offsets, block, l.groups, group);
  const Place v = place_of(job.o, "v", l.kv_offsets, block, l.groups, group);
  const Strip keys{job.k.data() + k.first, k.step, k.rows, extent(job.o, "k", 0)};
  const Strip values{job.v.data() + v.first, v.step, v.rows, extent(job.o, "v", 0)};
  QueryRow<Real> row(job.scale, keys.size, job.out.n);
  for (std::int64_t r = 0; r < q.rows; ++r) {
    const std::int64_t seen = job.causal ? std::clamp<std::int64_t>(r + 1 + k.rows - q.rows, 0, k.rows) : k.rows;
    if (seen == 0) continue;  // zeros
    row.score(job.q.data() + q.first + r * q.step, keys, seen);
    row.weigh();
    const auto at = static_cast<std::size_t>(o.first + r * o.step);
    row.output(values, job.out.value.data() + at, job.out.scale.data() + at, job.out.between);
  }
}

double longest_keys(const Operands& o, const Layout& layout) {
  std::int64_t longest = layout.ragged ? 0 : extent(o, "k", 1);
  for (std::size_t i = 1; i < layout.kv_offsets.size(); ++i)
    longest = std::max(longest, layout.kv_offsets[i] - layout.kv_offsets[i - 1]);
  return static_cast<double>(longest);
}

OracleAnswer evaluate(const OracleCall& call) {
  return answer([&] {
    const Operands o(call);
    const Layout layout = layout_of(o);
    const double n = longest_keys(o, layout) + static_cast<double>(extent(o, "q", 0)) + kOperations;
    Job job{o,
            layout,
            o.doubles("q"),
            o.doubles("k"),
            o.doubles("v"),
            o.flag("causal"),
            o.scalar("scale", 1.0),
            blank_truth(o.view("o").elements, n)};
    job.out.matrix_unit = true;
    const bool wide = needs_twice(o, {"q", "k", "v"});
    for (std::int64_t block = 0; block < layout.blocks; ++block) {
      for (std::int64_t head = 0; head < layout.heads; ++head) {
        if (wide) {
          attend<long double>(job, block, head);
        } else {
          attend<double>(job, block, head);
        }
      }
    }
    Outputs outputs;
    outputs["o"] = std::move(job.out);
    return outputs;
  });
}

/// Without knowing lengths of ragged sequences: bytes alone are sure then.
Cost cost(const OracleCall& call) {
  const auto k = call.tensors.find("k");
  const bool dense = call.tensors.count("q_offsets") == 0 && k != call.tensors.end() && k->second.shape.size() >= 2;
  const double keys = dense ? static_cast<double>(k->second.shape[k->second.shape.size() - 2]) : 0.0;
  const double share = Operands(call).flag("causal") ? 0.5 : 1.0;
  return touch_once(call, share * 2.0 * keys * (elements_of(call, "q") + elements_of(call, "o")));
}

const bool registered = Registry<Oracle>::add(
    {"attention",
     "o = softmax(scale q k') v; [heads, rows, size] or with offsets [rows, heads, size]; fewer heads of k and v are "
     "shared; causal aligns the last rows; a row that sees no key is zeros",
     kArgs, evaluate, cost});

}  // namespace
}  // namespace assay
