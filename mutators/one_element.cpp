#include <algorithm>

#include "core/check.h"
#include "core/freedom.h"

/// Theory: a cache that recognises its input by a sample, a first row or a window takes one input for another when they
/// differ anywhere else. One element changes per call: in the first row, the middle, at the very end, and at random.
namespace assay {
namespace {

constexpr int kRandomProbes = 2;

void add_probe(CheckContext& context, Script& script, const ConcreteTensor& tensor, std::int64_t row,
               std::int64_t column) {
  const Freedom freedom = freedom_of(context.contract(), context.contract().tensors[tensor.index]);
  const std::optional<double> value = one_value(freedom, tensor, context.random()());
  if (!value) return;
  CallPlan call = script.calls.front();
  call.values[tensor.index].edits.push_back(SetElementEdit{place_of(tensor, row, column), *value});
  script.calls.push_back(call);
}

void add_tensor(CheckContext& context, const ConcreteShape& shape, const ConcreteTensor& tensor) {
  const Tensor& spec = context.contract().tensors[tensor.index];
  Script script;
  script.needs = freedom_of(context.contract(), spec).change_in_place;
  script.suspect = spec.name;
  script.story = "one element of " + spec.name + " changes";
  script.calls.push_back(context.fresh_call(shape));
  const std::int64_t rows = rows_of(tensor), columns = columns_of(tensor);
  const auto any = [&](std::int64_t below) {
    return static_cast<std::int64_t>(context.random().below(static_cast<std::uint64_t>(below)));
  };
  add_probe(context, script, tensor, 0, any(columns));
  add_probe(context, script, tensor, rows / 2, any(columns));
  add_probe(context, script, tensor, rows - 1, columns - 1);
  for (int i = 0; i < kRandomProbes; ++i) add_probe(context, script, tensor, any(rows), any(columns));
  if (script.calls.size() > 1) context.add(script);
}

void plan(CheckContext& context) {
  for (const ConcreteShape* shape : context.pick(context.effort())) {
    for (const ConcreteTensor& tensor : shape->tensors) {
      if (tensor.elements > 0) add_tensor(context, *shape, tensor);
    }
  }
}

const bool kRegistered =
    Registry<Check>::add({"one-element", "A", "Each single element counts: when it alone changes, the result follows.",
                          "A2 A12 B6", plan, "fresh-values one-tensor"});

}  // namespace
}  // namespace assay
