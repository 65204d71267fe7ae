#include <algorithm>

#include "core/check.h"

/// Theory: what goes wrong after some number of calls, and what each call keeps a little of, shows only in numbers. A
/// few calls of several shapes are made over and over in one process, each some times in a row before it is looked at.
/// After the first half everything has been called before: caches are warm and pools are full, so what still grows from
/// one reading to the next is a leak.
namespace assay {
namespace {

constexpr int kCallsPerEffort = 80;
constexpr std::uint64_t kMostRepeats = 64;

/// A call again on its own results is another call.
bool repeatable(const Contract& contract) {
  return std::none_of(contract.tensors.begin(), contract.tensors.end(),
                      [](const Tensor& tensor) { return tensor.role == Role::inout; });
}

std::vector<CallPlan> few_calls(CheckContext& context) {
  std::vector<CallPlan> few;
  for (const ConcreteShape* shape : context.pick(3)) {
    for (int i = 0; i < 2; ++i) few.push_back(context.fresh_call(*shape));
  }
  return few;
}

void plan(CheckContext& context) {
  if (context.effort() < 2) return;  // a loop that waits for an answer has no time for it
  Script script;
  script.needs = Lifetime::reused_buffers;
  script.threat = "F4";
  script.soak = script.apart = true;
  script.story = "thousands of calls in one process";
  const std::vector<CallPlan> few = few_calls(context);
  for (int i = 0; i < kCallsPerEffort * context.effort(); ++i) {
    CallPlan call = few[context.random().below(few.size())];
    if (repeatable(context.contract()))
      call.repeats = 1 + static_cast<std::uint32_t>(context.random().below(kMostRepeats));
    script.calls.push_back(std::move(call));
  }
  context.add(script);
}

const bool kRegistered = Registry<Check>::add(
    {"soak", "F", "Thousands of calls give what the first ones gave, and leave no more behind.", "F4 F3 A5", plan,
     "fresh-values one-tensor move-all move-one poison-pair previous-output reuse one-element reshuffle repeat"});

}  // namespace
}  // namespace assay
