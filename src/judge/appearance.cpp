#include "judge/appearance.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/exact_calls.h"
#include "numerics/float_formats.h"
#include "verdict/tolerance.h"
#include "verdict/traces.h"

/// Theory. A guess is a truth of other inputs: if the outputs follow it where it differs from the right one, the
/// kernel computed with those. Where errors lie is looked at too. Guesses are tried from the most to the least telling;
/// they name a finding and decide nothing.
namespace assay {
namespace {

/// Errors this far below the largest one count as none when it is asked where they lie.
constexpr double kLoud = 1.0 / 64;
/// A tile: loud errors in no more of the output than this, and nearly everywhere in it.
constexpr double kTileShare = 0.125, kTileDensity = 0.25;
constexpr std::int64_t kFewestLoud = 4;
/// A result that left the right one follows a guess if it is nearer to that by so much.
constexpr double kMuchNearer = 0.05, kNearlyAll = 0.9;
/// Errors of an approximation, in bits of the promised precision that are spent.
constexpr double kFewestBits = 2.0, kMostBits = 15.0;
constexpr std::array<double, 8> kTails{1e-9, 0.01, 0.03125, 0.0625, 0.125, 0.25, 0.5, 0.75};

class Guesser {
 public:
  Guesser(const Contract& contract, const ConcreteShape& shape, const CallPlan& plan, const ConcreteTensor& tensor,
          const Bytes& bytes, const RealTruth& truth, TruthSource& truths)
      : contract_(contract),
        shape_(shape),
        plan_(plan),
        tensor_(tensor),
        truth_(truth),
        truths_(truths),
        actual_(view_of(contract, tensor, bytes.data())) {
    const auto size = info(actual_.dtype).bytes;
    for (std::int64_t i = 0; i < actual_.elements; ++i) {
      results_.push_back(load_element(actual_.dtype, actual_.data + element_offset(actual_, i) * size));
    }
  }

  std::optional<TracedPrecision> run() {
    if (flushed_results()) return named("results below the smallest normal number set to zero", "D8");
    if (flushed_inputs()) return named("numbers below the smallest normal one taken for zero", "D8");
    if (auto tile = tile_of_errors()) return tile;
    if (auto tail = skipped_tail()) return tail;
    if (approximate()) return named("an approximate function (fast maths)", "D8");
    return std::nullopt;
  }

 private:
  TracedPrecision named(std::string what, std::string threat, Evidence evidence = {}) const {
    return {contract_.tensors[tensor_.index].name, std::move(what), std::move(threat), std::move(evidence)};
  }

  double error(std::size_t i) const { return std::fabs(results_[i] - truth_.value[i]); }

  bool flushed_results() const {
    const double least = limits_of(actual_.dtype).smallest_normal;
    std::int64_t tiny = 0, zeros = 0;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const double right = round_to(actual_.dtype, truth_.value[i]);
      if (right == 0.0 || std::fabs(right) >= least) continue;
      ++tiny;
      zeros += results_[i] == 0.0 ? 1 : 0;
    }
    return tiny > 0 && static_cast<double>(zeros) >= kNearlyAll * static_cast<double>(tiny);
  }

  /// The truth for edited inputs; nothing where the oracle has none for this output.
  std::optional<RealTruth> truth_of(const CallPlan& plan) {
    CallTruth altered = truths_.by_oracle(shape_, plan);
    auto& output = altered.outputs[tensor_.index];
    auto* real = output ? std::get_if<RealTruth>(&*output) : nullptr;
    return real ? std::optional(std::move(*real)) : std::nullopt;
  }

  bool edits(std::size_t t) const {
    const Tensor& spec = contract_.tensors[t];
    return holds_input(spec.role) && is_floating(spec.dtype);
  }

  bool flushed_inputs() {
    CallPlan plan = plan_;
    for (std::size_t t = 0; t < plan.values.size(); ++t) {
      if (edits(t)) plan.values[t].edits.push_back(FlushEdit{});
    }
    const std::optional<RealTruth> altered = truth_of(plan);
    return altered && follows(*altered);
  }

  /// Whether the results are those of another truth, where the two differ.
  bool follows(const RealTruth& altered) const {
    std::int64_t differ = 0, nearer = 0;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const double change = std::fabs(altered.value[i] - truth_.value[i]);
      if (!(change > 0.0) || !std::isfinite(change)) continue;
      ++differ;
      nearer += std::fabs(results_[i] - altered.value[i]) <= kMuchNearer * change ? 1 : 0;
    }
    return differ >= kFewestLoud && static_cast<double>(nearer) >= kNearlyAll * static_cast<double>(differ);
  }

  /// The box of rows and columns that holds all errors of some size.
  std::optional<TracedPrecision> tile_of_errors() const {
    const std::int64_t columns = tensor_.shape.empty() ? 1 : tensor_.shape.back();
    double most = 0.0;
    for (std::size_t i = 0; i < results_.size(); ++i) most = std::max(most, error(i) / truth_.scale[i]);
    std::int64_t top = actual_.elements, bottom = -1, left = columns, right = -1, loud = 0;
    for (std::int64_t i = 0; i < actual_.elements; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (!(error(at) / truth_.scale[at] > kLoud * most)) continue;
      ++loud;
      top = std::min(top, i / columns), bottom = std::max(bottom, i / columns);
      left = std::min(left, i % columns), right = std::max(right, i % columns);
    }
    const double box = static_cast<double>(bottom - top + 1) * static_cast<double>(right - left + 1);
    if (loud < kFewestLoud || box > kTileShare * static_cast<double>(actual_.elements) ||
        static_cast<double>(loud) < kTileDensity * box) {
      return std::nullopt;
    }
    const auto range = [](std::int64_t first, std::int64_t last) {
      return std::to_string(first) + " to " + std::to_string(last);
    };
    return named("one tile of the output: rows " + range(top, bottom) + ", columns " + range(left, right), "D9",
                 {{"tile_elements", loud}});
  }

  /// The largest part at the end of an input's rows whose absence is in the errors.
  std::optional<TracedPrecision> skipped_tail() {
    for (std::size_t t = 0; t < contract_.tensors.size(); ++t) {
      double longest = 0.0;
      for (const double tail : kTails) {
        if (!edits(t)) break;
        CallPlan plan = plan_;
        plan.values[t].edits.push_back(ZeroTailEdit{tail});
        const std::optional<RealTruth> altered = truth_of(plan);
        if (!altered || !likeness(actual_, truth_, *altered).convicts()) continue;
        longest = tail;
        if (follows(*altered)) break;
      }
      if (longest > 0.0) return named(tail_text(t, longest), "B8", {{"share", longest}});
    }
    return std::nullopt;
  }

  std::string tail_text(std::size_t t, double share) const {
    const std::string name = contract_.tensors[t].name;
    if (share < 1e-6) return "the last element of each row of " + name + " left out";
    return "the last part of each row of " + name + " left out, about " + std::to_string(std::lround(100.0 * share)) +
           " %";
  }

  /// A few bits everywhere, in an operator that is more than sums of products.
  bool approximate() const {
    if (sums_products(contract_)) return false;
    const double u = unit_roundoff(contract_.numerics.precision);
    double most = 0.0;
    for (std::size_t i = 0; i < results_.size(); ++i) most = std::max(most, error(i) / (truth_.scale[i] * u));
    const double bits = std::log2(most / std::max(truth_.n, 1.0));
    return bits > kFewestBits && bits < kMostBits;
  }

  const Contract& contract_;
  const ConcreteShape& shape_;
  const CallPlan& plan_;
  const ConcreteTensor& tensor_;
  const RealTruth& truth_;
  TruthSource& truths_;
  ConstTensorView actual_;
  std::vector<double> results_;
};

}  // namespace

std::optional<TracedPrecision> appearance(const Contract& contract, const ConcreteShape& shape, const CallPlan& plan,
                                          const std::string& output, const CallFacts& facts, const CallTruth& truth,
                                          TruthSource& truths) {
  if (!contract.oracle || !(unit_roundoff(contract.numerics.precision) > 0.0)) return std::nullopt;
  for (const ConcreteTensor& tensor : shape.tensors) {
    const std::size_t t = tensor.index;
    const auto* real = truth.outputs[t] ? std::get_if<RealTruth>(&*truth.outputs[t]) : nullptr;
    if (!real || facts.outputs[t].empty() || contract.tensors[t].name != output) continue;
    return Guesser(contract, shape, plan, tensor, facts.outputs[t], *real, truths).run();
  }
  return std::nullopt;
}

}  // namespace assay
