#include "judge/traces.h"

#include <algorithm>
#include <cstdio>

#include "verdict/traces.h"

namespace assay {
namespace {

struct Output {
  std::size_t tensor;
  const RealTruth* truth;
  ConstTensorView actual;
};

std::vector<Output> real_outputs(const Contract& contract, const ConcreteShape& shape, const CallFacts& facts,
                                 const CallTruth& truth) {
  std::vector<Output> outputs;
  for (const ConcreteTensor& tensor : shape.tensors) {
    const std::size_t t = tensor.index;
    const auto* real = truth.outputs[t] ? std::get_if<RealTruth>(&*truth.outputs[t]) : nullptr;
    if (!real || facts.outputs[t].empty()) continue;
    outputs.push_back({t, real, view_of(contract, tensor, facts.outputs[t].data())});
  }
  return outputs;
}

TracedPrecision from_inputs(const Contract& contract, const Output& output, const std::string& input,
                            const NarrowFormat& format, const Likeness& found) {
  return {contract.tensors[output.tensor].name,
          input + " rounded to " + std::string(format.name),
          "D1",
          {{"likeness", found.share},
           {"likeness_deviation", found.deviation},
           {"elements", found.elements},
           {"input", input},
           {"format", std::string(format.name)}}};
}

TracedPrecision from_results(const Contract& contract, const Output& output, const NarrowOutputs& found) {
  const bool at_the_end = found.rounded > 0.9;
  const std::string name(found.format.name);
  return {contract.tensors[output.tensor].name,
          at_the_end ? "results rounded to " + name : "sums in " + name,
          at_the_end ? "D13" : "D2",
          {{"fitting_share", found.fitting},
           {"rounded_truth_share", found.rounded},
           {"elements", found.elements},
           {"format", name}}};
}

bool may_be_narrowed(const Tensor& tensor, int promised, const NarrowFormat& format) {
  return holds_input(tensor.role) && is_floating(tensor.dtype) &&
         format.bits < std::min(promised, info(tensor.dtype).significand_bits);
}

/// The outputs' truth if `input` were rounded.
CallPlan rounded(CallPlan plan, std::size_t input, const NarrowFormat& format) {
  plan.values[input].edits.push_back(RoundEdit{format.bits, format.toward_zero});
  return plan;
}

class Tracer {
 public:
  Tracer(const Contract& contract, const ConcreteShape& shape, const CallPlan& plan, TruthSource& truths,
         std::vector<Output> outputs)
      : contract_(contract), shape_(shape), plan_(plan), truths_(truths), outputs_(std::move(outputs)) {}

  std::vector<TracedPrecision> run() {
    const int promised = significand_bits(contract_.numerics.precision);
    if (promised == 0) return {};
    for (const Output& output : outputs_) {
      if (const auto found = narrow_outputs(output.actual, *output.truth, promised)) {
        found_.push_back(from_results(contract_, output, *found));
      }
    }
    for (std::size_t t = 0; found_.empty() && t < contract_.tensors.size(); ++t) look_at(t, promised);
    return std::move(found_);
  }

 private:
  void look_at(std::size_t input, int promised) {
    for (const NarrowFormat& format : narrow_formats()) {
      if (!may_be_narrowed(contract_.tensors[input], promised, format)) continue;
      const CallTruth altered = truths_.by_oracle(shape_, rounded(plan_, input, format));
      bool too_small = true;
      for (const Output& output : outputs_) {
        const auto* real =
            altered.outputs[output.tensor] ? std::get_if<RealTruth>(&*altered.outputs[output.tensor]) : nullptr;
        if (!real) continue;
        const Likeness seen = likeness(output.actual, *output.truth, *real);
        too_small = too_small && (seen.elements == 0 || seen.far_too_small());
        if (!seen.convicts()) continue;
        found_.push_back(from_inputs(contract_, output, contract_.tensors[input].name, format, seen));
        return;
      }
      if (too_small) return;
    }
  }

  const Contract& contract_;
  const ConcreteShape& shape_;
  const CallPlan& plan_;
  TruthSource& truths_;
  std::vector<Output> outputs_;
  std::vector<TracedPrecision> found_;
};

}  // namespace

std::vector<TracedPrecision> trace_precision(const Contract& contract, const ConcreteShape& shape, const CallPlan& plan,
                                             const CallFacts& facts, const CallTruth& truth, TruthSource& truths) {
  if (!contract.oracle) return {};
  return Tracer(contract, shape, plan, truths, real_outputs(contract, shape, facts, truth)).run();
}

Observation traced(const Contract& contract, const TracedPrecision& found) {
  Evidence evidence = found.evidence;
  evidence["tensor"] = found.tensor;
  evidence["looks_like"] = found.what;
  const bool promised = contract.numerics.policy == Policy::calibrated;
  return {"downgrade",
          found.tensor,
          found.threat,
          promised ? Severity::error : Severity::note,
          found.tensor + " bears the traces of a lower precision than promised: it looks like " + found.what,
          evidence};
}

void say_what_it_looks_like(Observation& about, const TracedPrecision& found) {
  about.message += "; it looks like " + found.what;
  about.evidence["looks_like"] = found.what;
  about.evidence.insert(found.evidence.begin(), found.evidence.end());
}

}  // namespace assay
