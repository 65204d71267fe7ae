#include <algorithm>

#include "core/check.h"

/// Theory: whoever computes with fewer bits than promised leaves traces that need no tolerance. The error of outputs
/// follows the error that rounding the inputs to a narrower type makes, element by element; or outputs end in zeros
/// that no sum of such numbers has. Both are searched for in an ordinary call, since a call that looks for them must
/// not look otherwise.
namespace assay {
namespace {

/// The search asks the oracle again for each input and type.
constexpr std::int64_t kMostBytes = 4LL << 20;
/// Fewer outputs say little.
constexpr std::int64_t kFewestOutputs = 256;

std::int64_t outputs_of(const CheckContext& context, const ConcreteShape& shape) {
  std::int64_t most = 0;
  for (const ConcreteTensor& tensor : shape.tensors) {
    if (holds_output(context.contract().tensors[tensor.index].role)) most = std::max(most, tensor.elements);
  }
  return most;
}

void plan(CheckContext& context) {
  if (context.lifetime() != context.contract().lifetime || !context.contract().oracle) return;
  std::vector<const ConcreteShape*> fit;
  for (const ConcreteShape& shape : context.shapes()) {
    if (shape.total_bytes() <= kMostBytes && outputs_of(context, shape) >= kFewestOutputs) fit.push_back(&shape);
  }
  std::stable_sort(fit.begin(), fit.end(),
                   [](const ConcreteShape* a, const ConcreteShape* b) { return a->total_bytes() < b->total_bytes(); });
  // The smallest, and with more effort larger ones: a downgrade may be kept for those.
  const auto wanted = std::min(fit.size(), static_cast<std::size_t>(context.effort()));
  for (std::size_t i = 0; i < wanted; ++i) {
    const std::size_t at = wanted == 1 ? 0 : i * (fit.size() - 1) / (wanted - 1);
    Script script;
    script.story = "an ordinary call, searched for traces of a lower precision";
    CallPlan call = context.fresh_call(*fit[at]);
    call.traced = true;
    script.calls.push_back(std::move(call));
    context.add(std::move(script));
  }
}

const bool kRegistered = Registry<Check>::add(
    {"downgrade", "D", "Results bear no trace of a lower precision.", "D1 D2 D13", plan, "fresh-values one-tensor"});

}  // namespace
}  // namespace assay
