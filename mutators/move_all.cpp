#include "core/check.h"

/// Theory: work kept under an address is found again only at that address. All tensors move, values stay: the result
/// must keep its bits, and the places left behind, which hold poison now, must be neither read nor written.
namespace assay {
namespace {

void add_move(CheckContext& context, const ConcreteShape& shape) {
  Script script;
  script.needs = Lifetime::reused_buffers;
  script.story = "all tensors move, values stay";
  CallPlan call = context.fresh_call(shape);
  script.calls.push_back(call);
  Place next = kHome;
  for (Place& place : call.places) place = ++next;
  script.calls.push_back(call);
  script.relations.push_back({RelationKind::same_bits, 0, 1});
  context.add(script);
}

void plan(CheckContext& context) {
  for (const ConcreteShape* shape : context.pick(2 * context.effort())) add_move(context, *shape);
}

const bool kRegistered =
    Registry<Check>::add({"move-all", "A", "The same values at new addresses give the same result.", "A1 A7", plan});

}  // namespace
}  // namespace assay
