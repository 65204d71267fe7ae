#include "judge/truth.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "judge/runner.h"
#include "numerics/float_formats.h"
#include "verdict/sensitivity.h"

namespace assay {
namespace {

constexpr std::size_t kKept = 24;
/// Fewer bytes than this may be what lay there by chance.
constexpr std::int64_t kTellingBytes = 8;
constexpr int kReferenceStarts = 4;
/// What today's kernel may take for one call: it isn't on trial.
constexpr double kReferenceDeadline = 120.0;

const Oracle* find_oracle(const Contract& contract) {
  if (!contract.oracle) return nullptr;
  if (contract.oracle->builtin.empty()) {
    throw Error(contract.path + ": oracle.path is not supported by this version; name a builtin ('assay oracles')");
  }
  static const std::vector<Oracle> all = Registry<Oracle>::all();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const Oracle& o) { return o.id == contract.oracle->builtin; });
  if (it == all.end()) throw Error(contract.path + ": there is no oracle " + contract.oracle->builtin, Exit::kUsage);
  return &*it;
}

/// A scalar as the subject receives it: rounded to the param's type.
double scalar_value(const Contract& contract, const CallPlan& plan, const OracleBinding& binding) {
  if (binding.kind == ArgKind::literal) return binding.literal;
  if (binding.kind == ArgKind::axis) return static_cast<double>(plan.axes.at(binding.name));
  for (std::size_t i = 0; i < contract.params.size(); ++i) {
    const Param& param = contract.params[i];
    if (param.name == binding.name) return round_to(param.dtype, param.values.at(plan.params.at(i)));
  }
  throw Error("internal: the oracle is bound to an unknown scalar " + binding.name);
}

CallPlan nudged(const Contract& contract, CallPlan plan, std::uint64_t key) {
  for (std::size_t t = 0; t < plan.values.size(); ++t) {
    const bool moves = contract.tensors[t].values && is_floating(contract.tensors[t].dtype);
    if (moves) plan.values[t].edits.push_back(NudgeEdit{key + t});
  }
  return plan;
}

/// Names an output of which the reference wrote nothing at all: its prototype is wrong, or it refuses without saying
/// so.
std::string unwritten(const Contract& contract, const ConcreteShape& shape, const CallFacts& facts) {
  for (const ConcreteTensor& tensor : shape.tensors) {
    const Tensor& spec = contract.tensors[tensor.index];
    const std::optional<PoisonSpec>& poison = facts.poison[tensor.index];
    const Bytes& bytes = facts.outputs[tensor.index];
    if (spec.role != Role::out || !poison || bytes.empty() || tensor.elements == 0 || facts.aliased[tensor.index])
      continue;
    const ConstTensorView view = view_of(contract, tensor, bytes.data());
    const auto size = static_cast<std::size_t>(info(spec.dtype).bytes);
    bool left = tensor.bytes >= kTellingBytes;
    for (std::int64_t i = 0; left && i < tensor.elements; ++i) {
      const std::int64_t offset = element_offset(view, i);
      std::uint64_t bits = 0;
      std::memcpy(&bits, bytes.data() + static_cast<std::size_t>(offset) * size, size);
      left = bits == poison_bits(*poison, spec.dtype, static_cast<std::uint64_t>(offset));
    }
    if (left) {
      return "it wrote nothing to " + spec.name + " at " + to_string(shape.axes) +
             ": does the prototype say what the function takes?";
    }
  }
  return {};
}

bool exact_comparison(const Contract& contract, const Tensor& tensor) {
  const Precision precision = contract.numerics.precision;
  return !is_floating(tensor.dtype) || precision == Precision::exact || precision == Precision::bits;
}

}  // namespace

TruthSource::TruthSource(const Contract& contract, const AuditSubject* reference, Values& values,
                         const std::vector<ConcreteShape>& shapes, const StreamKey& secret)
    : contract_(contract),
      reference_(reference),
      values_(values),
      shapes_(shapes),
      secret_(secret),
      oracle_(find_oracle(contract)) {
  if (!oracle_ && !reference_) {
    throw Error(contract.path + ": neither [oracle] nor [reference]: nothing says what is right; give --reference LIB",
                Exit::kUsage);
  }
}

std::string TruthSource::name() const {
  return oracle_ ? "oracle " + std::string(oracle_->id) : "reference";
}

const CallTruth& TruthSource::of(const ConcreteShape& shape, const CallPlan& plan) {
  const auto it = std::find_if(kept_.begin(), kept_.end(), [&](const Entry& e) {
    return e.axes == plan.axes && e.params == plan.params && e.values == plan.values;
  });
  if (it != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, it);
    kept_.front().truth.reference_wall_ns.reset();
    return kept_.front().truth;
  }
  kept_.push_front({plan.axes, plan.values, plan.params, make(shape, plan)});
  if (kept_.size() > kKept) kept_.pop_back();
  return kept_.front().truth;
}

CallTruth TruthSource::make(const ConcreteShape& shape, const CallPlan& plan) {
  CallTruth truth;
  truth.outputs.resize(contract_.tensors.size());
  truth.reference.resize(contract_.tensors.size());
  if (reference_) ask_reference(shape, plan, truth);
  if (oracle_) {
    ask_oracle(shape, plan, truth);
  } else if (truth.reference_problem.empty()) {
    derive_from_reference(shape, plan, truth);
  }
  return truth;
}

CallTruth TruthSource::by_oracle(const ConcreteShape& shape, const CallPlan& plan) {
  CallTruth truth;
  truth.outputs.resize(contract_.tensors.size());
  ask_oracle(shape, plan, truth);
  return truth;
}

TruthSource::Asked TruthSource::bound_call(const ConcreteShape& shape, const CallPlan& plan) {
  const std::vector<Buffer> buffers = buffers_of(contract_, shape);
  Asked asked;
  asked.call.options.insert(contract_.oracle->options.begin(), contract_.oracle->options.end());
  for (const OracleBinding& binding : contract_.oracle->bind) {
    if (binding.kind != ArgKind::tensor) {
      asked.call.scalars[binding.argument] = scalar_value(contract_, plan, binding);
      continue;
    }
    const auto index = static_cast<std::size_t>(contract_.find_tensor(binding.name) - contract_.tensors.data());
    const Buffer& buffer = buffers[index];
    if (buffer.holds_input()) asked.alive.push_back(values_.of(buffer, plan.values[index]));
    const std::byte* data = buffer.holds_input() ? asked.alive.back()->data() : nullptr;
    asked.call.tensors[binding.argument] = view_of(contract_, *buffer.tensor, data);
    asked.tensor_of[binding.argument] = index;
  }
  return asked;
}

Cost TruthSource::cost(const ConcreteShape& shape, const CallPlan& plan) {
  Cost cost;
  if (oracle_ && oracle_->cost) cost = oracle_->cost(bound_call(shape, plan).call);
  const auto stated = [&](const std::optional<Expression>& expression, double& figure) {
    if (!expression) return;
    const auto value = expression->evaluate(shape.axes);
    if (const auto* number = std::get_if<std::int64_t>(&value)) figure = static_cast<double>(*number);
  };
  if (contract_.cost) {
    stated(contract_.cost->bytes, cost.bytes);
    stated(contract_.cost->flops, cost.flops);
  }
  return cost;
}

void TruthSource::no_truth(const ConcreteShape& shape, const std::string& why) const {
  throw Error(contract_.path + ": oracle " + std::string(oracle_->id) + " at " + to_string(shape.axes) + ": " + why,
              Exit::kUsage);
}

void TruthSource::ask_oracle(const ConcreteShape& shape, const CallPlan& plan, CallTruth& truth) {
  if (oracle_->examine) {
    // Of its own: the list of shapes may grow before the outputs are there, and views point into the shape.
    const auto kept = std::make_shared<const ConcreteShape>(shape);
    truth.examine = [this, kept, asked = bound_call(*kept, plan)](const std::vector<Bytes>& outputs) {
      return examine(*kept, asked, outputs);
    };
    return;
  }
  const Asked asked = bound_call(shape, plan);
  OracleAnswer answer = oracle_->evaluate(asked.call);
  if (const auto* why = std::get_if<std::string>(&answer)) no_truth(shape, *why);
  for (auto& [argument, output] : std::get<0>(answer)) truth.outputs[asked.tensor_of.at(argument)] = std::move(output);
}

std::vector<Property> TruthSource::examine(const ConcreteShape& shape, const Asked& asked,
                                           const std::vector<Bytes>& outputs) const {
  OracleCall call = asked.call;
  for (const OracleArg& arg : oracle_->args) {
    const auto at = asked.tensor_of.find(arg.name);
    if (arg.kind != OracleArgKind::output || at == asked.tensor_of.end()) continue;
    call.tensors.find(arg.name)->second = view_of(contract_, shape.tensors[at->second], outputs[at->second].data());
  }
  PropertyAnswer answer = oracle_->examine(call);
  if (const auto* why = std::get_if<std::string>(&answer)) no_truth(shape, *why);
  std::vector<Property> properties = std::get<0>(std::move(answer));
  for (Property& property : properties) property.output = contract_.tensors[asked.tensor_of.at(property.output)].name;
  return properties;
}

void TruthSource::start_reference() {
  if (session_ && session_->alive()) return;
  if (++starts_ > kReferenceStarts) {
    reference_failure_ = "it ended its process again and again";
    return;
  }
  SessionOptions options;
  options.decoys = false;
  options.deadline_s = kReferenceDeadline;
  options.secret = derive_key(secret_, static_cast<std::uint64_t>(starts_), "reference session");
  auto opened = open_session(contract_, *reference_, values_, shapes_, options);
  if (const auto* failure = std::get_if<LoadFailure>(&opened)) {
    reference_failure_ = failure->what;
    return;
  }
  session_ = std::get<std::unique_ptr<Session>>(std::move(opened));
  session_->begin_script();
}

std::optional<CallFacts> TruthSource::run_reference(const ConcreteShape& shape, const CallPlan& plan,
                                                    std::string& problem) {
  if (reference_failure_.empty()) start_reference();
  if (!reference_failure_.empty()) {
    problem = reference_failure_;
    return std::nullopt;
  }
  CallPlan at_home = plan;
  std::fill(at_home.places.begin(), at_home.places.end(), kHome);
  at_home.shifts.clear();
  at_home.repeats = 1;
  at_home.stress = Stress::none;
  CallFacts facts = session_->perform(shape, at_home);
  const auto* returned = std::get_if<Returned>(&facts.outcome);
  if (!returned) {
    problem = "it ended during a call at " + to_string(shape.axes) + ": " + std::get<Ended>(facts.outcome).what;
  } else if (!means_success(reference_->entry, returned->value)) {
    problem = "it refused a call at " + to_string(shape.axes) + " with " +
              std::to_string(returned_number(reference_->entry, returned->value));
  }
  if (problem.empty()) problem = unwritten(contract_, shape, facts);
  if (problem.empty()) return facts;
  // Without an oracle nothing else says what is right.
  if (!oracle_) reference_failure_ = problem;
  return std::nullopt;
}

void TruthSource::ask_reference(const ConcreteShape& shape, const CallPlan& plan, CallTruth& truth) {
  std::optional<CallFacts> facts = run_reference(shape, plan, truth.reference_problem);
  if (!facts) return;
  truth.reference_wall_ns = std::get<Returned>(facts->outcome).wall_ns;
  for (std::size_t t = 0; t < contract_.tensors.size(); ++t) truth.reference[t] = std::move(facts->outputs[t]);
}

void TruthSource::derive_from_reference(const ConcreteShape& shape, const CallPlan& plan, CallTruth& truth) {
  std::vector<std::vector<Bytes>> runs;
  const bool any_real = std::any_of(contract_.tensors.begin(), contract_.tensors.end(), [&](const Tensor& t) {
    return holds_output(t.role) && !exact_comparison(contract_, t);
  });
  for (int run = 0; any_real && run < kNudgedRuns; ++run) {
    const std::uint64_t key = number_of(derive_key(secret_, static_cast<std::uint64_t>(run), "nudge"));
    std::optional<CallFacts> facts = run_reference(shape, nudged(contract_, plan, key), truth.reference_problem);
    if (!facts) return;
    runs.push_back(std::move(facts->outputs));
  }
  for (std::size_t t = 0; t < contract_.tensors.size(); ++t) {
    const Tensor& tensor = contract_.tensors[t];
    if (!holds_output(tensor.role)) continue;
    const ConstTensorView view = view_of(contract_, shape.tensors[t], truth.reference[t].data());
    if (exact_comparison(contract_, tensor)) {
      truth.outputs[t] = ExactTruth{packed(contract_, shape.tensors[t], truth.reference[t].data())};
      continue;
    }
    std::vector<ConstTensorView> views;
    for (const std::vector<Bytes>& run : runs) views.push_back(view_of(contract_, shape.tensors[t], run[t].data()));
    truth.outputs[t] =
        truth_from_reference(view, views, longest_reduction(contract_, shape, t), input_roundoff(contract_));
  }
}

}  // namespace assay
