#include <algorithm>
#include <array>
#include <cmath>

#include "reference/draws.h"
#include "reference/measures.h"
#include "reference/operands.h"

/// Theory. A sampler is right in distribution only. Of one call it can be said that every draw is an index, that none
/// has probability zero, and whether the draws are as likely together as draws from these rows are: the sum of log p of
/// what was drawn is compared with its expectation (draws.h). A sampler that always takes the likeliest, ignores a tail
/// or draws evenly is off by some fraction of a nat per row, and rows add up. Logarithms are cut off at -30, below
/// which no draw is expected.
namespace assay {
namespace {

constexpr std::array<OracleArg, 3> kArgs{
    {{"probs", OracleArgKind::input}, {"ids", OracleArgKind::output}, {kSeedArgument, OracleArgKind::scalar, false}}};

constexpr double kLeastLog = -30.0;

double log_of(double p) {
  return p > 0.0 ? std::max(std::log(p), kLeastLog) : kLeastLog;
}

/// The log p of what was drawn from one row, beside what is expected of it.
void see(Likelihood& all, const double* row, std::size_t size, std::size_t drawn) {
  double total = 0.0, mean = 0.0, square = 0.0, low = 0.0, high = kLeastLog;
  for (std::size_t i = 0; i < size; ++i) total += row[i];
  for (std::size_t i = 0; i < size; ++i) {
    if (!(row[i] > 0.0)) continue;
    const double p = row[i] / total, log = log_of(p);
    mean += p * log;
    square += p * log * log;
    low = std::min(low, log);
    high = std::max(high, log);
  }
  all.see(log_of(row[drawn] / total), mean, square - mean * mean, std::max(high - mean, mean - low));
}

/// A row that is no distribution (special values, all zero) has no right draw.
bool is_distribution(const double* row, std::size_t size) {
  double total = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    if (!(row[i] >= 0.0) || std::isinf(row[i])) return false;
    total += row[i];
  }
  return total > 0.0 && std::isfinite(total);
}

PropertyAnswer sample(const OracleCall& call) {
  return properties([&] {
    const Operands o(call);
    o.rank("probs", 2);
    const auto shape = o.view("probs").shape;
    if (o.view("ids").elements != shape[0]) throw Misfit{"ids must have one element for each row of probs"};
    if (is_floating(o.view("ids").dtype)) throw Misfit{"the argument ids must hold integers"};
    const auto size = static_cast<std::size_t>(shape[1]);
    const std::vector<double> probs = o.doubles("probs");
    const std::vector<long double> ids = o.exact("ids");
    Broken indices("ids", "each draw is an index of its row"), support("ids", "no draw has probability zero"),
        likely("ids", "the draws together are as likely as draws from these rows are");
    Likelihood all;
    for (std::size_t r = 0; r < ids.size(); ++r) {
      const double* row = probs.data() + r * size;
      if (!is_distribution(row, size)) continue;
      const bool index = ids[r] >= 0.0L && ids[r] < static_cast<long double>(size);
      indices.see(r, index);
      if (!index) continue;
      const auto drawn = static_cast<std::size_t>(ids[r]);
      support.see(r, row[drawn] > 0.0);
      see(all, row, size, drawn);
    }
    if (!ids.empty()) likely.see(0, all.plausible());
    return std::vector{indices.property(), support.property(), likely.property()};
  });
}

const bool kRegistered = Registry<Oracle>::add(
    {"sample", "ids[r]: an index drawn with the probabilities of row r (property)", kArgs, nullptr, nullptr, sample});

}  // namespace
}  // namespace assay
