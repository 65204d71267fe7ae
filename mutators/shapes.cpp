#include "core/check.h"

/// Theory: a kernel that was tuned on a few shapes may skip tails, refuse sizes or overrun its tensors on others. Every
/// shape of the audit is called once; which shapes there are is decided by the families in shapes/.
namespace assay {
namespace {

void plan(CheckContext& context) {
  for (const ConcreteShape& shape : context.shapes()) {
    Script script;
    script.needs = Lifetime::reused_buffers;
    script.story = "one call of this shape among calls of other shapes";
    script.calls.push_back(context.fresh_call(shape));
    context.add(script);
  }
}

const bool kRegistered = Registry<Check>::add(
    {"shapes", "C", "Every shape of the domain is computed, not only those of the test.", "C1 B8 C12 B9", plan});

}  // namespace
}  // namespace assay
