#include "core/check.h"
#include "core/exact_calls.h"

/// Theory: where sums of products are exact in every order, equality decides in place of a tolerance
/// (core/exact_calls.cpp has the values).
namespace assay {
namespace {

void plan(CheckContext& context) {
  if (context.lifetime() != context.contract().lifetime || !sums_products(context.contract())) return;
  for (const ConcreteShape* shape : context.pick(context.effort())) {
    for (ExactCall& each : exact_calls(context.contract(), *shape, context.fresh_call(*shape), context.random())) {
      Script script;
      script.story = std::move(each.story);
      script.calls.push_back(std::move(each.call));
      context.add(std::move(script));
    }
  }
}

const bool kRegistered =
    Registry<Check>::add({"exact", "D", "Sums of products of few-bit numbers are exact, whatever their order.",
                          "D1 D2 B8 C6", plan, "fresh-values one-tensor"});

}  // namespace
}  // namespace assay
