#include "judge/adequacy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/freedom.h"
#include "judge/mutants.h"
#include "judge/shape_plan.h"
#include "numerics/float_formats.h"
#include "verdict/tolerance.h"
#include "verdict/traces.h"

/// Theory of operation. One call with values as the contract draws them; its truth, rounded to the output's type, is
/// what a perfect kernel would give. Everything else that could stand there is tried in its place: what needs only the
/// result (mutants.h), and what the oracle says of other inputs. The legs that decide about an ordinary call decide
/// about each. A contract under which a null model or a whole group passes can't tell right from wrong.
namespace assay {
namespace {

constexpr std::int64_t kMostBytes = 4LL << 20;
/// Larger tensors would not be chosen anyway.
constexpr std::int64_t kInspectedBytes = 1LL << 30;
/// Fewer results than this leave nothing to mutate.
constexpr std::int64_t kFewestOutputs = 4;

std::int64_t outputs_of(const Contract& contract, const ConcreteShape& shape) {
  std::int64_t most = 0;
  for (const ConcreteTensor& tensor : shape.tensors) {
    if (holds_output(contract.tensors[tensor.index].role)) most = std::max(most, tensor.elements);
  }
  return most;
}

/// Production's smallest, else the smallest, with some results.
const ConcreteShape* choose(const Contract& contract, const std::vector<ConcreteShape>& shapes) {
  const ConcreteShape* best = nullptr;
  const auto rank = [&](const ConcreteShape& s) {
    return std::pair(!is_production(contract, s.axes), s.total_bytes());
  };
  for (const ConcreteShape& shape : shapes) {
    if (shape.total_bytes() > kMostBytes || outputs_of(contract, shape) < kFewestOutputs) continue;
    if (!best || rank(shape) < rank(*best)) best = &shape;
  }
  return best;
}

/// Of a sum, left out.
constexpr double kLostShare = 0.01;

constexpr const char* kNoOracle = "there is no oracle, whose results could be changed";

AdequacySection unexamined(const char* why) {
  AdequacySection section;
  section.reason = why;
  return section;
}

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g %%", 100.0 * share);
  return text.data();
}

class Examination {
 public:
  Examination(const Contract& contract, const ConcreteShape& shape, TruthSource& truths, std::uint64_t key)
      : contract_(contract), shape_(shape), truths_(truths), random_(key) {}

  AdequacySection run() {
    section_.shape = to_string(shape_.axes);
    plan_ = fresh();
    right_ = truths_.by_oracle(shape_, plan_);
    if (right_.examine) {
      section_.reason = "outputs aren't unique: the oracle measures properties, and no result can be made of the truth";
      return std::move(section_);
    }
    const CallTruth other = truths_.by_oracle(shape_, fresh());
    for (const ConcreteTensor& tensor : shape_.tensors) {
      if (tensor.elements > 0 && right_.outputs[tensor.index]) try_results(tensor, other);
    }
    try_inputs();
    try_specials();
    conclude();
    return std::move(section_);
  }

 private:
  CallPlan fresh() {
    CallPlan plan;
    plan.axes = shape_.axes;
    plan.places.assign(contract_.tensors.size(), kHome);
    plan.params.assign(contract_.params.size(), 0);
    for (const Tensor& tensor : contract_.tensors) plan.values.push_back({tensor.is_static ? 1 : random_(), {}});
    return plan;
  }

  DType dtype_of(const ConcreteTensor& tensor) const { return contract_.tensors[tensor.index].dtype; }
  Bytes result_of(const CallTruth& truth, const ConcreteTensor& tensor) const {
    return truth.outputs[tensor.index] ? assay::rounded(*truth.outputs[tensor.index], dtype_of(tensor)) : Bytes();
  }

  void try_results(const ConcreteTensor& tensor, const CallTruth& other) {
    const Bytes right = result_of(right_, tensor);
    for (const Mutant& mutant : mutants_of(tensor, dtype_of(tensor), right, result_of(other, tensor), random_)) {
      file(tensor, mutant, nullptr);
    }
    const int promised = significand_bits(contract_.numerics.precision);
    if (promised == 0 || !is_floating(dtype_of(tensor))) return;
    for (const Mutant& mutant : narrowed_results(tensor, dtype_of(tensor), right, promised))
      file(tensor, mutant, nullptr);
  }

  /// What the oracle says of a changed input, in place of the right result.
  void try_plan(const CallPlan& plan, const std::string& group, const std::string& name) {
    const CallTruth changed = truths_.by_oracle(shape_, plan);
    for (const ConcreteTensor& tensor : shape_.tensors) {
      const std::size_t t = tensor.index;
      if (tensor.elements == 0 || !changed.outputs[t] || !right_.outputs[t]) continue;
      Mutant mutant{group, name, result_of(changed, tensor)};
      const bool precision = group == "precision";
      file(tensor, mutant, precision ? &changed : nullptr);
    }
  }

  void try_inputs() {
    const int promised = significand_bits(contract_.numerics.precision);
    for (const ConcreteTensor& tensor : shape_.tensors) {
      const Tensor& spec = contract_.tensors[tensor.index];
      if (!holds_input(spec.role) || tensor.elements == 0 || !is_floating(spec.dtype)) continue;
      CallPlan plan = plan_;
      plan.values[tensor.index] = {random_(), {}};
      if (!spec.is_static) try_plan(plan, "wrong input", "other values of " + spec.name);
      plan.values[tensor.index] = plan_.values[tensor.index];
      plan.values[tensor.index].edits = {ZeroBlocksEdit{0, 0, 1.0, 1}};
      try_plan(plan, "wrong input", spec.name + " taken for zeros");
      plan.values[tensor.index].edits = {ReshuffleEdit{random_()}};
      try_plan(plan, "wrong input", "elements of " + spec.name + " in another order");
      plan.values[tensor.index].edits = {ZeroTailEdit{}};
      try_plan(plan, "lost work", "the last element of each row of " + spec.name + " isn't counted");
      plan.values[tensor.index].edits = {ZeroTailEdit{kLostShare}};
      try_plan(plan, "lost work", "1 % of each row of " + spec.name + " isn't counted");
      for (const NarrowFormat& format : narrow_formats()) {
        if (format.toward_zero || format.bits >= std::min(promised, info(spec.dtype).significand_bits)) continue;
        plan.values[tensor.index].edits = {RoundEdit{format.bits, false}};
        try_plan(plan, "precision", spec.name + " rounded to " + std::string(format.name));
      }
    }
  }

  /// Calls with special values where the contract lets them through: their own truth is the right one for a while.
  void try_specials() {
    for (const ConcreteTensor& tensor : shape_.tensors) {
      const Freedom freedom = freedom_of(contract_, contract_.tensors[tensor.index]);
      if (tensor.elements == 0 || !freedom.not_finite) continue;
      constexpr double kInf = std::numeric_limits<double>::infinity();
      CallPlan plan = plan_;
      const double few = static_cast<double>(rows_of(tensor)) / 4.0 / static_cast<double>(tensor.elements);
      plan.values[tensor.index].edits = {SprinkleEdit{{std::numeric_limits<double>::quiet_NaN()}, few, random_()},
                                         SprinkleEdit{{kInf, -kInf}, few, random_()}};
      CallTruth special = truths_.by_oracle(shape_, plan);
      std::swap(right_, special);
      for (const ConcreteTensor& output : shape_.tensors) {
        if (output.elements == 0 || !right_.outputs[output.index] || !is_floating(dtype_of(output))) continue;
        for (Mutant& mutant : tamed_results(output, dtype_of(output), result_of(right_, output))) {
          mutant.name += " where " + contract_.tensors[tensor.index].name + " holds some";
          file(output, mutant, nullptr);
        }
      }
      std::swap(right_, special);
    }
  }

  /// The legs that decide about an ordinary call. `altered`: the truth that explains the mutant, for traces.
  bool kills(const Contract& contract, const ConcreteTensor& tensor, const Bytes& bytes,
             const CallTruth* altered) const {
    const Truth& truth = *right_.outputs[tensor.index];
    const Tensor& spec = contract.tensors[tensor.index];
    const Tolerance tolerance = tolerance_for(contract, spec, truth, tensor.elements);
    const ConstTensorView view = packed_view(tensor, spec.dtype, bytes);
    const ErrorProfile profile = compare_under(tolerance, view, truth, std::nullopt);
    if (std::holds_alternative<Beyond>(judge_profile(tolerance, profile))) return true;
    const auto* real = std::get_if<RealTruth>(&truth);
    if (!real || tolerance.rule != Tolerance::Rule::bound) return false;
    if (judge_distribution(tolerance, profile)) return true;
    if (narrow_outputs(view, *real, significand_bits(contract.numerics.precision))) return true;
    const auto* changed = altered ? std::get_if<RealTruth>(&*altered->outputs[tensor.index]) : nullptr;
    return changed && likeness(view, *real, *changed).convicts();
  }

  ConstTensorView packed_view(const ConcreteTensor& tensor, DType dtype, const Bytes& bytes) const {
    return {dtype, tensor.shape, packed_strides_of(tensor), tensor.elements, true, bytes.data()};
  }
  std::span<const std::int64_t> packed_strides_of(const ConcreteTensor& tensor) const {
    strides_.assign(tensor.shape.size(), 1);
    for (std::size_t i = strides_.size(); i-- > 1;) strides_[i - 1] = strides_[i] * tensor.shape[i];
    return strides_;
  }

  /// Other numbers, not only other bits: what changes nothing is no mutant.
  bool differs(const ConcreteTensor& tensor, const Bytes& bytes) const {
    const Bytes right = result_of(right_, tensor);
    const auto size = static_cast<std::size_t>(info(dtype_of(tensor)).bytes);
    for (std::size_t at = 0; at < right.size(); at += size) {
      const double y = load_element(dtype_of(tensor), right.data() + at);
      const double x = load_element(dtype_of(tensor), bytes.data() + at);
      if (x != y && !(std::isnan(x) && std::isnan(y))) return true;
    }
    return false;
  }

  /// RMS of the difference over that of the right result.
  double damage(const ConcreteTensor& tensor, const Bytes& bytes) const {
    const Bytes right = result_of(right_, tensor);
    const auto size = static_cast<std::size_t>(info(dtype_of(tensor)).bytes);
    double difference = 0.0, whole = 0.0;
    for (std::size_t at = 0; at < right.size(); at += size) {
      const double y = load_element(dtype_of(tensor), right.data() + at);
      const double x = load_element(dtype_of(tensor), bytes.data() + at);
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      difference += (x - y) * (x - y);
      whole += y * y;
    }
    return whole > 0.0 ? std::sqrt(difference / whole) : 0.0;
  }

  void file(const ConcreteTensor& tensor, const Mutant& mutant, const CallTruth* altered) {
    if (!differs(tensor, mutant.bytes)) return;
    auto row = std::find_if(section_.groups.begin(), section_.groups.end(),
                            [&](const AdequacyGroup& group) { return group.name == mutant.group; });
    if (row == section_.groups.end()) row = section_.groups.insert(row, {mutant.group, 0, 0, {}});
    ++row->mutants;
    if (kills(contract_, tensor, mutant.bytes, altered)) {
      ++row->killed;
      return;
    }
    const std::string& output = contract_.tensors[tensor.index].name;
    row->survivors.push_back({output + ": " + mutant.name, damage(tensor, mutant.bytes)});
    Contract strict = contract_;
    strict.numerics.policy = Policy::calibrated;
    if (contract_.numerics.policy == Policy::allclose && kills(strict, tensor, mutant.bytes, altered)) ++would_die_;
  }

  void conclude() {
    std::int64_t survivors = 0;
    for (AdequacyGroup& group : section_.groups) {
      std::sort(group.survivors.begin(), group.survivors.end(),
                [](const Survivor& a, const Survivor& b) { return a.damage < b.damage; });
      survivors += static_cast<std::int64_t>(group.survivors.size());
      judge(group);
    }
    propose(survivors);
  }

  void judge(const AdequacyGroup& group) {
    const bool promised = contract_.numerics.policy == Policy::calibrated;
    if (group.name == "null model" && !group.survivors.empty()) {
      const Survivor& worst = group.survivors.back();
      section_.inadequate.push_back("a result that computes nothing passes (" + worst.name + ", off by " +
                                    percent(worst.damage) + " of the result)");
    } else if (group.killed == 0 && (promised || (group.name != "precision" && group.name != "special values"))) {
      section_.inadequate.push_back("no mutant of the group '" + group.name + "' is told from the right result");
    }
  }

  void propose(std::int64_t survivors) {
    if (survivors == 0) return;
    if (would_die_ > 0) {
      section_.proposals.push_back("numerics.policy = \"calibrated\" tells " + std::to_string(would_die_) + " of " +
                                   std::to_string(survivors) + " surviving mutants from the right result");
    }
    if (contract_.numerics.policy != Policy::allclose) return;
    if (contract_.numerics.matched < 1.0)
      section_.proposals.push_back("numerics.matched = 1.0: garbage in few elements passes now");
    const double typical = typical_result();
    if (contract_.numerics.atol > 0.01 * typical) {
      std::array<char, 160> text{};
      std::snprintf(
          text.data(), text.size(),
          "numerics.atol = %.1g, or values that make larger results: %.3g is as large as results are (RMS %.3g)",
          1e-3 * typical, contract_.numerics.atol, typical);
      section_.proposals.push_back(text.data());
    }
  }

  double typical_result() const {
    double squares = 0.0, count = 0.0;
    for (const auto& output : right_.outputs) {
      const auto* real = output ? std::get_if<RealTruth>(&*output) : nullptr;
      if (!real) continue;
      for (const double value : real->value) squares += std::isfinite(value) ? value * value : 0.0;
      count += static_cast<double>(real->value.size());
    }
    return count > 0.0 ? std::sqrt(squares / count) : 0.0;
  }

  const Contract& contract_;
  const ConcreteShape& shape_;
  TruthSource& truths_;
  Random random_;
  CallPlan plan_;
  CallTruth right_;
  AdequacySection section_;
  std::int64_t would_die_ = 0;
  mutable std::vector<std::int64_t> strides_;
};

}  // namespace

AdequacySection examine_adequacy(const Contract& contract, const std::vector<ConcreteShape>& shapes,
                                 TruthSource& truths, std::uint64_t key) {
  if (!contract.oracle) return unexamined(kNoOracle);
  const ConcreteShape* shape = choose(contract, shapes);
  return shape ? Examination(contract, *shape, truths, key).run()
               : unexamined("no shape is small enough and has results");
}

AdequacySection inspect_contract(const Contract& contract) {
  if (!contract.oracle) return unexamined(kNoOracle);
  const Seed seed{};
  Random random(number_of(derive_key(seed, 0, "inspect")));
  const ShapePlan plan = plan_shapes(contract, contract.entry, {Depth::standard, kInspectedBytes}, random);
  const Generator generator(seed, contract.folder);
  Values values(contract, generator, derive_key(seed, 0, "gaps"));
  TruthSource truths(contract, nullptr, values, plan.shapes, derive_key(seed, 0, "reference"));
  return examine_adequacy(contract, plan.shapes, truths, random());
}

}  // namespace assay
