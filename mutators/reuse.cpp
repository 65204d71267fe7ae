#include <algorithm>

#include "core/check.h"

/// Theory: allocators recycle. The address of one tensor becomes that of another, shapes alternate on the same
/// addresses, and whatever was kept under an address describes something else now.
namespace assay {
namespace {

/// Tensors whose address may become another's: static ones keep theirs (CONTRACT.md, fine print).
std::vector<std::size_t> movable(const Contract& contract) {
  std::vector<std::size_t> indices;
  for (std::size_t t = 0; t < contract.tensors.size(); ++t) {
    if (!contract.tensors[t].is_static) indices.push_back(t);
  }
  return indices;
}

/// Rotates the places of the tensors: each lies where its neighbour lay, with new values.
void add_rotation(CheckContext& context, const ConcreteShape& shape) {
  Script script;
  script.needs = Lifetime::reused_buffers;
  script.recycles = true;
  script.story = "every tensor lies where another lay before";
  const std::vector<std::size_t> tensors = movable(context.contract());
  for (std::size_t turn = 0; turn < std::min<std::size_t>(tensors.size(), 3); ++turn) {
    CallPlan call = context.fresh_call(shape);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      call.places[tensors[i]] = 1 + static_cast<Place>((i + turn) % tensors.size());
    }
    script.calls.push_back(call);
  }
  context.add(script);
}

/// Two shapes take turns at the same addresses.
void add_alternation(CheckContext& context, const ConcreteShape& a, const ConcreteShape& b) {
  Script script;
  script.needs = Lifetime::reused_buffers;
  script.recycles = true;
  script.story = "two shapes take turns at the same addresses";
  const std::vector<std::size_t> tensors = movable(context.contract());
  for (const ConcreteShape* shape : {&a, &b, &a, &b}) {
    CallPlan call = context.fresh_call(*shape);
    for (std::size_t i = 0; i < tensors.size(); ++i) call.places[tensors[i]] = 1 + static_cast<Place>(i);
    script.calls.push_back(call);
  }
  context.add(script);
}

void plan(CheckContext& context) {
  const auto shapes = context.pick(1 + context.effort());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (static_cast<int>(i) < context.effort()) add_rotation(context, *shapes[i]);
    if (i > 0) add_alternation(context, *shapes[i - 1], *shapes[i]);
  }
}

const bool kRegistered = Registry<Check>::add(
    {"reuse", "A", "Recycled addresses with other shapes, tensors and contents give the right result.", "A1 A6 A13",
     plan, "fresh-values one-tensor"});

}  // namespace
}  // namespace assay
