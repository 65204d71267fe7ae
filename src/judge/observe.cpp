#include "judge/observe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>

#include "judge/properties.h"
#include "numerics/float_formats.h"
#include "verdict/exactness.h"
#include "verdict/tolerance.h"

namespace assay {
namespace {

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

double truth_value(const Truth& truth, DType dtype, std::int64_t index) {
  if (const auto* real = std::get_if<RealTruth>(&truth)) return real->value.at(static_cast<std::size_t>(index));
  const auto& bytes = std::get<ExactTruth>(truth).bytes;
  return load_element(dtype, bytes.data() + index * info(dtype).bytes);
}

struct Output {
  const Contract& contract;
  const Entry& entry;
  const ConcreteTensor& tensor;
  const Truth& truth;
  ConstTensorView view;

  const Tensor& spec() const { return contract.tensors[tensor.index]; }
};

struct LegWitness {
  Leg leg;
  std::string_view witness;
  std::string_view threat;  ///< empty: the check's own
};

constexpr std::array<LegWitness, 9> kLegs{{{Leg::written, "written", "B8"},
                                           {Leg::classes, "classes", ""},
                                           {Leg::exact, "error", ""},
                                           {Leg::bound, "error", ""},
                                           {Leg::band, "error", ""},
                                           {Leg::max_error, "error", ""},
                                           {Leg::property, "error", ""},
                                           {Leg::localised, "error", "D9"},
                                           {Leg::biased, "error", ""}}};

Observation beyond(const Output& output, const Beyond& verdict, const ErrorProfile& profile) {
  const LegWitness& leg = kLegs.at(static_cast<std::size_t>(verdict.leg));
  Observation o;
  o.witness = leg.witness;
  o.threat = leg.threat;
  o.tensor = output.spec().name;
  o.evidence = {{"elements", profile.elements},
                {"observed", verdict.observed},
                {"limit", verdict.limit},
                {"tensor", o.tensor},
                {"leg", std::string(name_of(verdict.leg))}};
  o.message = verdict.message;
  if (verdict.index < 0) return o;
  const double expected = truth_value(output.truth, output.view.dtype, verdict.index);
  const std::int64_t at = element_offset(output.view, verdict.index) * info(output.view.dtype).bytes;
  const double got = load_element(output.view.dtype, output.view.data + at);
  o.evidence["index"] = index_text(output.tensor.shape, verdict.index);
  o.evidence["expected"] = expected;
  o.evidence["got"] = got;
  o.message = element_name(output.contract, output.entry, output.tensor, verdict.index) + ": " + verdict.message;
  const bool unwritten = verdict.leg == Leg::written;
  o.message += unwritten ? "; it still holds what lay there before the call"
                         : "; expected " + number_text(expected) + ", got " + number_text(got);
  return o;
}

NumericsRow row_of(const std::string& subject, const std::string& tensor, const ErrorProfile& profile,
                   const Tolerance& tolerance) {
  NumericsRow row;
  row.subject = subject;
  row.tensor = tensor;
  row.elements = profile.measured;
  row.max_rho = profile.scaled.max;
  row.rms_rho = profile.scaled.rms;
  row.mean_signed_rho = profile.mean_signed_rho;
  row.max_abs_error = profile.absolute.max;
  row.max_rel_error = profile.relative.max;
  row.limit = tolerance.limit;
  row.spent_bits = profile.smallest_k;
  for (std::size_t octave = 0; octave < kSweepOctaves; ++octave) {
    const std::int64_t count = profile.rho_octaves[octave];
    if (count > 0) row.octaves[static_cast<int>(octave) - kSweepZero] = count;
  }
  return row;
}

Observation less_accurate(const Output& output, const Worse& worse) {
  return {"accuracy",
          output.spec().name,
          "D1",
          Severity::note,
          output.spec().name + ": within the contract, but less accurate than the reference: RMS of the scaled error " +
              number_text(worse.observed) + ", " + number_text(worse.limit) + " would be ordinary",
          {{"rms_rho", worse.observed}, {"ordinary", worse.limit}}};
}

Observation dirty_reference(const Output& output, const Beyond& verdict) {
  return {"reference",
          output.spec().name,
          "D10",
          Severity::note,
          "the reference fails its own oracle: " + output.spec().name + ": " + verdict.message +
              "; it is not used to calibrate",
          {{"observed", verdict.observed}, {"limit", verdict.limit}}};
}

/// An extreme that today's kernel doesn't cope with: nobody can rely on it, so it lies outside the domain.
Observation domain_limit(const Output& output, const Beyond& verdict) {
  return {
      "reference",
      output.spec().name,
      "",
      Severity::note,
      "on an extreme of the declared range the reference itself fails, so nothing is held against a candidate there: " +
          output.spec().name + ": " + verdict.message,
      {{"observed", verdict.observed}, {"limit", verdict.limit}}};
}

/// What decides about one output, and what it is compared with.
struct Case {
  const Output& output;
  const CallPlan& plan;
  const Bytes& reference;
  Tolerance tolerance;

  bool by_oracle() const { return output.contract.oracle.has_value(); }
};

Case case_of(const Output& output, const CallPlan& plan, const Bytes& reference) {
  const TruthFrom from = output.contract.oracle ? TruthFrom::oracle : TruthFrom::reference;
  // Chosen values need not have rounding errors of mixed signs: equal elements or sorted ones err to one side.
  const ErrorSigns signs = plan.typical ? ErrorSigns::mixed : ErrorSigns::any;
  return {output, plan, reference,
          tolerance_for(output.contract, output.spec(), output.truth, output.tensor.elements, from, signs)};
}

/// Values that say how accurate a kernel ordinarily is.
bool measures(const CallPlan& plan) {
  return plan.typical && !plan.exact;
}

/// What the bound lets through and isn't right all the same.
std::optional<Beyond> finer_fault(const Case& c, const ConstTensorView& view, const ErrorProfile& profile) {
  const auto* real = std::get_if<RealTruth>(&c.output.truth);
  if (!real || !c.by_oracle() || c.tolerance.rule != Tolerance::Rule::bound) return std::nullopt;
  if (c.plan.exact) {
    return judge_exactness(view, *real, c.plan.granule, significand_bits(c.output.contract.numerics.accumulate));
  }
  return c.plan.typical ? judge_distribution(c.tolerance, profile) : std::nullopt;
}

Judgement judge_whole(const Case& c, const ConstTensorView& view, const ErrorProfile& profile) {
  const Judgement judgement = judge_profile(c.tolerance, profile);
  if (!std::holds_alternative<Within>(judgement)) return judgement;
  const std::optional<Beyond> finer = finer_fault(c, view, profile);
  return finer ? Judgement(*finer) : judgement;
}

/// The reference against the oracle: proves that it may calibrate, and that an extreme lies in the domain.
std::optional<ErrorProfile> reference_profile(const Case& c, Judged& judged) {
  if (c.reference.empty()) return std::nullopt;
  const Output& output = c.output;
  const ConstTensorView view = view_of(output.contract, output.tensor, c.reference.data());
  const ErrorProfile profile = compare_under(c.tolerance, view, output.truth, std::nullopt);
  if (measures(c.plan)) judged.rows.push_back(row_of("reference", output.spec().name, profile, c.tolerance));
  const Judgement judgement = judge_whole(c, view, profile);
  const auto* verdict = std::get_if<Beyond>(&judgement);
  if (!verdict) return profile;
  judged.observations.push_back(c.plan.typical ? dirty_reference(output, *verdict) : domain_limit(output, *verdict));
  return std::nullopt;
}

/// Where the reference is the truth, its infinities and NaN say nothing about an extreme: finite numbers may have
/// overflowed on its own way, and how special values spread depends on which products with zero an algorithm makes.
bool breaks_down(const Case& c) {
  const auto* real = std::get_if<RealTruth>(&c.output.truth);
  return real && std::any_of(real->value.begin(), real->value.end(), [](double y) { return !std::isfinite(y); });
}

/// Files what is wrong with an output; an extreme counts only where the reference copes with it (CONTRACT.md,
/// "Tensors").
void file_beyond(const Case& c, const Beyond& verdict, const ErrorProfile& profile, bool reference_copes,
                 Judged& judged) {
  const bool counts = c.plan.typical || verdict.leg == Leg::written || reference_copes;
  Observation o = beyond(c.output, verdict, profile);
  judged.outputs_suspect = judged.outputs_suspect || counts;
  if (!counts) {
    if (!c.reference.empty()) return;  // the reference's own failure has been noted
    o.severity = Severity::note;
    o.message += "; there is no reference to show that such an extreme lies in the domain";
  }
  judged.observations.push_back(std::move(o));
}

void judge_output(const Case& c, const std::optional<PoisonSpec>& poison, Judged& judged) {
  const ErrorProfile profile = compare_under(c.tolerance, c.output.view, c.output.truth, poison);
  judged.counts.elements += profile.elements;
  if (measures(c.plan)) judged.rows.push_back(row_of("candidate", c.output.spec().name, profile, c.tolerance));
  const std::optional<ErrorProfile> calibration = c.by_oracle() ? reference_profile(c, judged) : std::nullopt;
  const Judgement judgement = judge_whole(c, c.output.view, profile);
  if (const auto* verdict = std::get_if<Beyond>(&judgement)) {
    const bool copes = c.by_oracle() ? calibration.has_value() : !breaks_down(c);
    file_beyond(c, *verdict, profile, copes, judged);
  }
  if (!calibration || judged.outputs_suspect || !measures(c.plan)) return;
  const Calibration calibrated = calibrate(c.tolerance, profile, *calibration);
  if (const auto* worse = std::get_if<Worse>(&calibrated)) {
    judged.observations.push_back(less_accurate(c.output, *worse));
  }
}

void judge_outputs(const Contract& contract, const Entry& entry, const ConcreteShape& shape, const CallPlan& plan,
                   const CallFacts& facts, const CallTruth& truth, Judged& judged) {
  for (const ConcreteTensor& tensor : shape.tensors) {
    const std::size_t t = tensor.index;
    if (!truth.outputs[t] || facts.outputs[t].empty()) continue;
    const bool returned = entry.returns_element_of(contract.tensors[t].name);
    const Output output{contract, entry, tensor, *truth.outputs[t], view_of(contract, tensor, facts.outputs[t].data())};
    judge_output(case_of(output, plan, truth.reference[t]),
                 returned || facts.aliased[t] ? std::nullopt : facts.poison[t], judged);
  }
}

Observation damage_seen(const Damage& damage) {
  const std::string what = damage.stranger ? "the call wrote to " + damage.where
                                           : "the call wrote out of bounds: " + damage.where + ", " +
                                                 std::to_string(std::abs(damage.offset)) + " bytes away";
  return {"guards",        "",   damage.stranger ? "A15" : "B20",
          Severity::error, what, {{"where", damage.where}, {"offset_bytes", damage.offset}}};
}

Observation changed_late(const Contract& contract, const ConcreteShape& shape, const LateChange& late) {
  const std::string& name = contract.tensors[shape.tensors.at(late.buffer).index].name;
  return {"done",
          name,
          "E2",
          Severity::error,
          name +
              " was still being written when the call's work was said to be done: it held something else than it did "
              "once the device was idle",
          {{"tensor", name}, {"offset_bytes", late.offset}}};
}

Observation input_changed(const Contract& contract, const Entry& entry, const ConcreteShape& shape,
                          const InputChange& change) {
  const ConcreteTensor& tensor = shape.tensors.at(change.buffer);
  return {"inputs",
          contract.tensors[tensor.index].name,
          "B19",
          Severity::error,
          "the call changed an input: " + element_name(contract, entry, tensor, change.element),
          {{"index", index_text(tensor.shape, change.element)}}};
}

Observation refused(const Entry& entry, std::uint64_t value) {
  const std::int64_t code = returned_number(entry, value);
  return {"return",
          "",
          "C1",
          Severity::error,
          "the call was refused: it returned " + std::to_string(code) + " inside the contract's domain, success is " +
              std::to_string(entry.success.value_or(0)),
          {{"returned", code}, {"success", entry.success.value_or(0)}}};
}

}  // namespace

std::string element_name(const Contract& contract, const Entry& entry, const ConcreteTensor& tensor,
                         std::int64_t index) {
  const std::string& name = contract.tensors[tensor.index].name;
  std::string text = name + index_text(tensor.shape, index);
  for (std::size_t i = 0; i < entry.args.size(); ++i) {
    const bool here = entry.args[i].kind == ArgKind::tensor && entry.args[i].name == name;
    if (here) text += " (argument " + std::to_string(i + 1) + ")";
  }
  return text;
}

Judged judge_call(const Contract& contract, const Entry& entry, const ConcreteShape& shape, const CallPlan& plan,
                  const CallFacts& facts, const CallTruth& truth) {
  Judged judged;
  judged.counts.bytes = facts.guarded_bytes;
  for (const Damage& damage : facts.damage) judged.observations.push_back(damage_seen(damage));
  for (const InputChange& change : facts.input_changes) {
    judged.observations.push_back(input_changed(contract, entry, shape, change));
  }
  if (facts.late) judged.observations.push_back(changed_late(contract, shape, *facts.late));
  // An extreme that ends or is refused by the reference too lies outside the domain.
  const bool outside = !plan.typical && !truth.reference_problem.empty();
  if (const auto* ended = std::get_if<Ended>(&facts.outcome)) {
    judged.observations.push_back(ended_worker(*ended));
    if (outside) judged.observations.back().severity = Severity::note;
    return judged;
  }
  judged.counts.calls = 1;
  const std::uint64_t value = std::get<Returned>(facts.outcome).value;
  if (!means_success(entry, value)) {
    judged.refused = !outside;
    judged.observations.push_back(refused(entry, value));
    if (outside) judged.observations.back().severity = Severity::note;
    return judged;
  }
  judge_outputs(contract, entry, shape, plan, facts, truth, judged);
  if (truth.examine) judge_properties(contract, entry, shape, plan, facts, truth, judged);
  return judged;
}

std::vector<Observation> late_changes(const Contract& contract, const Entry& entry, const ConcreteShape& shape,
                                      const CallFacts& facts, const std::vector<Bytes>& later) {
  for (const ConcreteTensor& tensor : shape.tensors) {
    // A value that the call returned lies in no memory that could change later.
    if (entry.returns_element_of(contract.tensors[tensor.index].name)) continue;
    const Bytes& first = facts.outputs[tensor.index];
    const Bytes& second = later[tensor.index];
    const auto change = first_difference(first.data(), second.data(), std::min(first.size(), second.size()));
    if (!change) continue;
    const std::string& name = contract.tensors[tensor.index].name;
    return {{"done",
             name,
             "E2",
             Severity::error,
             name + " was still being written some milliseconds after the call had returned",
             {{"tensor", name}, {"offset_bytes", static_cast<std::int64_t>(*change)}}}};
  }
  return {};
}

std::string failure_text(const LoadFailure& failure) {
  std::string message = failure.what;
  for (std::size_t i = 0; i < failure.near.size(); ++i) {
    message += (i == 0 ? "; did you mean " : " or ") + ("'" + failure.near[i] + "'");
  }
  return message;
}

Observation load_failure(const LoadFailure& failure) {
  const std::string threat = failure.kind == LoadFailureKind::died ? "E9" : "";
  return {"load", "", threat, Severity::error, failure_text(failure), {}};
}

Observation ended_worker(const Ended& ended) {
  // CUDA's illegal address, misaligned address and invalid address space.
  const bool device_fault =
      ended.kind == EndKind::device && (ended.code == 700 || ended.code == 716 || ended.code == 717);
  const bool fault =
      device_fault || (ended.kind == EndKind::signalled && (ended.code == SIGSEGV || ended.code == SIGBUS));
  const bool forged = ended.kind == EndKind::protocol;
  return {fault ? "guards" : "return",
          "",
          fault    ? "B21"
          : forged ? "E8"
                   : "E9",
          Severity::error,
          "the call ended its process: " + ended.what,
          {{"code", std::int64_t{ended.code}}}};
}

}  // namespace assay
