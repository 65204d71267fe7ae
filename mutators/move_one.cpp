#include "core/check.h"

/// Theory: a fast path that compares only some of its pointers replays stale addresses for the rest. Each tensor moves
/// alone, with its values; its old place is filled with poison.
namespace assay {
namespace {

void add_move(CheckContext& context, const ConcreteShape& shape, std::size_t tensor) {
  Script script;
  script.needs = Lifetime::reused_buffers;
  script.suspect = context.contract().tensors[tensor].name;
  script.story = script.suspect + " moves, the other tensors stay";
  CallPlan call = context.fresh_call(shape);
  script.calls.push_back(call);
  call.places[tensor] = 1;
  script.calls.push_back(call);
  script.relations.push_back({RelationKind::same_bits, 0, 1});
  context.add(script);
}

void plan(CheckContext& context) {
  for (std::size_t tensor = 0; tensor < context.contract().tensors.size(); ++tensor) {
    for (const ConcreteShape* shape : context.pick(context.effort())) add_move(context, *shape, tensor);
  }
}

const bool kRegistered = Registry<Check>::add(
    {"move-one", "A", "One tensor at a new address is found there, and its old place is left alone.", "A6 A7", plan});

}  // namespace
}  // namespace assay
