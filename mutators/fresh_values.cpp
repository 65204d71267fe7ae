#include "core/check.h"

/// Theory: a result kept under a pointer, a shape, a call count or a fingerprint is right once. Here the pointers stay
/// and everything else that the lifetime lets change does, so a kept result is stale.
namespace assay {
namespace {

bool production(const CheckContext& context, const ConcreteShape& shape) {
  for (const ProductionShape& each : context.contract().shapes) {
    if (each.axes == shape.axes) return true;
  }
  return false;
}

void add_repeats(CheckContext& context, const ConcreteShape& shape, int calls) {
  Script script;
  script.story = "same pointers, new values in place";
  for (int i = 0; i < calls; ++i) script.calls.push_back(context.fresh_call(shape));
  context.add(script);
}

void plan(CheckContext& context) {
  for (const ConcreteShape& shape : context.shapes()) {
    if (production(context, shape)) add_repeats(context, shape, 2);
  }
  for (const ConcreteShape* shape : context.pick(context.effort())) add_repeats(context, *shape, 4);
}

const bool kRegistered = Registry<Check>::add(
    {"fresh-values", "A", "New values behind the same pointers give new results.", "A1 A2 A4 A5 A7 A9", plan});

}  // namespace
}  // namespace assay
