#include "judge/speed/value_pool.h"

#include <algorithm>

#include "core/exact_calls.h"

namespace assay {
namespace {

constexpr std::size_t kDecoys = 4;
constexpr std::size_t kMostCalls = 2048;
/// One of so many calls is a probe: values whose sums are exact. Some of those are mostly zeros, with which a kernel
/// may honestly be faster: more of them would show in its time.
constexpr std::uint64_t kCallsPerProbe = 16;

}  // namespace

ValuePool::ValuePool(const Contract& contract, const Entry& entry, const ConcreteShape& shape, Values& values,
                     TruthSource& truths, std::uint64_t key, std::uint64_t most_bytes)
    : contract_(contract),
      entry_(entry),
      shape_(shape),
      values_(values),
      truths_(truths),
      random_(key),
      first_kind_(random_()),
      buffers_(buffers_of(contract, shape)) {
  std::uint64_t fresh = 1;
  for (const Tensor& tensor : contract.tensors) {
    kept_draws_.push_back(random_());
    const Buffer& buffer = buffers_[kept_draws_.size() - 1];
    if (!tensor.is_static && buffer.holds_input()) fresh += buffer.bytes;
  }
  for (const ConcreteTensor& tensor : shape.tensors) {
    if (holds_output(contract.tensors[tensor.index].role)) elements_ += tensor.elements;
  }
  distinct_ = std::clamp<std::size_t>(static_cast<std::size_t>(most_bytes / fresh), 1, kMostCalls);
}

/// As callers of the contract's lifetime do: static tensors stay, integers too unless anything may change in place.
std::uint64_t ValuePool::draw_of(std::size_t tensor) {
  const Tensor& spec = contract_.tensors[tensor];
  const bool stays = spec.is_static || (contract_.lifetime != Lifetime::serving && !is_floating(spec.dtype));
  return stays ? kept_draws_[tensor] : random_();
}

ValuePool::Call ValuePool::make() {
  Call call;
  call.plan.axes = shape_.axes;
  call.plan.places.assign(contract_.tensors.size(), kHome);
  call.plan.params.assign(contract_.params.size(), 0);
  for (std::size_t t = 0; t < contract_.tensors.size(); ++t) call.plan.values.push_back({draw_of(t), {}});
  if (made_ % kCallsPerProbe == 0) next_probe_ = made_ + random_.below(kCallsPerProbe);
  if (made_++ == next_probe_) make_probe(call.plan);
  for (const Buffer& buffer : buffers_) {
    const bool input = buffer.holds_input() && buffer.tensor;
    call.inputs.push_back(input ? values_.make(buffer, call.plan.values[buffer.tensor->index]) : nullptr);
  }
  return call;
}

/// A downgrade that is kept for timed calls would pass as long as errors are small beside the bound.
void ValuePool::make_probe(CallPlan& plan) {
  const auto is_static = [](const Tensor& tensor) { return tensor.is_static && is_floating(tensor.dtype); };
  if (std::any_of(contract_.tensors.begin(), contract_.tensors.end(), is_static)) return;
  std::vector<ExactCall> probes = exact_calls(contract_, shape_, plan, random_);
  if (!probes.empty()) plan = std::move(probes[(first_kind_ + probe_++) % probes.size()].call);
}

ValuePool::Call& ValuePool::call(std::size_t index) {
  const std::size_t wanted = index % distinct_;
  while (calls_.size() <= wanted) calls_.push_back(make());
  return calls_[wanted];
}

const std::vector<std::shared_ptr<const Bytes>>& ValuePool::inputs(std::size_t index) {
  return call(index).inputs;
}

const std::vector<std::shared_ptr<const Bytes>>& ValuePool::decoy(std::size_t index) {
  while (decoys_.size() < kDecoys) decoys_.push_back(make());
  return decoys_[index % kDecoys].inputs;
}

CallPlan ValuePool::plan(std::size_t index, const std::vector<std::size_t>& params) {
  CallPlan plan = call(index).plan;
  plan.params = params;
  return plan;
}

bool ValuePool::known(std::size_t index, const std::vector<std::size_t>& params, const OutputDigest& digest) {
  const std::vector<OutputDigest>& right = call(index).right[params];
  return std::find(right.begin(), right.end(), digest) != right.end();
}

std::vector<Observation> ValuePool::judge(std::size_t index, const std::vector<std::size_t>& params,
                                          const CallFacts& facts, const OutputDigest& digest) {
  const CallPlan called = plan(index, params);
  Judged judged = judge_call(contract_, entry_, shape_, called, facts, truths_.of(shape_, called));
  std::erase_if(judged.observations, [](const Observation& o) { return o.severity != Severity::error; });
  if (judged.observations.empty()) call(index).right[params].push_back(digest);
  return std::move(judged.observations);
}

}  // namespace assay
