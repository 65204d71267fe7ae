#include "judge/properties.h"

#include <algorithm>
#include <cmath>

#include "numerics/comparator.h"
#include "numerics/generator.h"
#include "verdict/properties.h"

namespace assay {
namespace {

std::size_t tensor_index(const Contract& contract, const std::string& name) {
  return static_cast<std::size_t>(contract.find_tensor(name) - contract.tensors.data());
}

/// Whether a written element may have the bits of poison by chance: small integers and narrow types.
bool may_be_met(DType dtype, const PoisonSpec& poison) {
  return info(dtype).bytes < 4 || (!is_floating(dtype) && poison.kind == Poison::small_finite);
}

/// Elements that still hold what lay there before the call, by comparing with bytes that all differ.
Faults unwritten(const ConstTensorView& view, const std::optional<PoisonSpec>& poison) {
  if (!poison || may_be_met(view.dtype, *poison)) return {};
  ExactTruth other{Bytes(static_cast<std::size_t>(view.elements * info(view.dtype).bytes))};
  gather(view, other.bytes.data());
  for (std::byte& byte : other.bytes) byte ^= std::byte{1};
  CompareOptions options;
  options.bits = true;
  options.poison = poison;
  return compare(view, other, options).unwritten;
}

Observation lacking(const Contract& contract, const Entry& entry, const ConcreteShape& shape, const CallFacts& facts,
                    const Property& property, const Beyond& verdict) {
  const std::size_t t = tensor_index(contract, property.output);
  const ConcreteTensor& tensor = shape.tensors[t];
  Observation o{"error", property.output, "", Severity::error, "", {}};
  o.evidence = {{"elements", property.elements}, {"observed", verdict.observed},
                {"limit", verdict.limit},        {"tensor", property.output},
                {"claim", property.claim},       {"leg", std::string(name_of(verdict.leg))}};
  const std::int64_t index = std::max<std::int64_t>(verdict.index, 0);
  o.evidence["index"] = index_text(tensor.shape, index);
  o.message = element_name(contract, entry, tensor, index) + ": " + verdict.message;
  if (facts.aliased[t]) return o;
  const Faults left = unwritten(view_of(contract, tensor, facts.outputs[t].data()), facts.poison[t]);
  if (left.count == 0) return o;
  o.witness = "written";
  o.threat = "B8";
  o.evidence["index"] = index_text(tensor.shape, left.first);
  o.message = element_name(contract, entry, tensor, left.first) + ": " + std::to_string(left.count) + " of " +
              std::to_string(tensor.elements) + " elements were never written; " + verdict.message;
  return o;
}

NumericsRow row_of(const std::string& subject, const Property& property, double observed, double limit) {
  NumericsRow row;
  row.subject = subject;
  row.tensor = property.output;
  row.elements = property.elements;
  row.max_rho = observed;
  row.limit = limit;
  row.spent_bits = std::ceil(std::log2(observed));
  return row;
}

/// Judges one property; its error goes into a row unless it is one that must hold exactly or the values are chosen.
std::optional<Beyond> judge_one(const Contract& contract, const std::string& subject, const Property& property,
                                bool typical, Judged& judged) {
  const Tensor& output = contract.tensors[tensor_index(contract, property.output)];
  const Judgement judgement = judge_property(contract, output, property, typical ? ErrorSigns::mixed : ErrorSigns::any);
  const auto* within = std::get_if<Within>(&judgement);
  const auto* beyond = std::get_if<Beyond>(&judgement);
  if (typical && property.roundings > 0.0 && (within || beyond)) {
    judged.rows.push_back(row_of(subject, property, within ? within->observed : beyond->observed,
                                 within ? within->limit : beyond->limit));
  }
  return beyond ? std::optional(*beyond) : std::nullopt;
}

bool has_outputs(const std::vector<Bytes>& outputs) {
  return std::any_of(outputs.begin(), outputs.end(), [](const Bytes& each) { return !each.empty(); });
}

/// Whether the reference has every property, which proves that an extreme lies in the domain. Notes those it lacks.
bool reference_copes(const Contract& contract, const CallTruth& truth, bool typical, Judged& judged) {
  if (!truth.reference_problem.empty() || !has_outputs(truth.reference)) return false;
  bool copes = true;
  for (const Property& property : truth.examine(truth.reference)) {
    const auto beyond = judge_one(contract, "reference", property, typical, judged);
    if (!beyond) continue;
    copes = false;
    const std::string what = typical ? "the reference fails its own oracle: "
                                     : "on an extreme of the declared range the reference itself fails, so nothing is "
                                       "held against a candidate there: ";
    judged.observations.push_back({"reference",
                                   property.output,
                                   typical ? "D10" : "",
                                   Severity::note,
                                   what + property.output + ": " + beyond->message,
                                   {{"observed", beyond->observed}, {"limit", beyond->limit}}});
  }
  return copes;
}

}  // namespace

void judge_properties(const Contract& contract, const Entry& entry, const ConcreteShape& shape, const CallPlan& plan,
                      const CallFacts& facts, const CallTruth& truth, Judged& judged) {
  if (!has_outputs(facts.outputs)) return;
  const bool copes = reference_copes(contract, truth, plan.typical, judged);
  for (const Property& property : truth.examine(facts.outputs)) {
    judged.counts.elements += property.elements;
    const auto beyond = judge_one(contract, "candidate", property, plan.typical, judged);
    if (!beyond) continue;
    Observation o = lacking(contract, entry, shape, facts, property, *beyond);
    const bool counts = plan.typical || copes || o.witness == "written";
    judged.outputs_suspect = judged.outputs_suspect || counts;
    if (!counts && has_outputs(truth.reference)) continue;  // the reference's own failure has been noted
    if (!counts) {
      o.severity = Severity::note;
      o.message += "; there is no reference to show that such an extreme lies in the domain";
    }
    judged.observations.push_back(std::move(o));
  }
}

}  // namespace assay
