#include <algorithm>

#include "core/check.h"
#include "core/freedom.h"

/// Theory: floating point has relations that hold exactly and need no tolerance. A single large number moves the
/// results that depend on it and no other; twice the input is twice the result, bit for bit, where the operator is
/// homogeneous. Numbers that share a scale (fixed point, blocks of int8 or float8), thresholds below which products
/// are left out, and ranges that are narrower than promised break them. Where a relation holds is seen from the
/// truths of both calls. (NUMERICS.md, probes P6 and P7.)
namespace assay {
namespace {

/// Large beside what is typical; and a factor that leaves float16 and ordinary thresholds in reach.
constexpr double kLarge = 4096.0;
constexpr int kExponents[] = {-5, 4};

void add_related(Script& script, const CallPlan& call) {
  script.calls.push_back(call);
  script.relations.push_back({RelationKind::power_of_two, 0, script.calls.size() - 1});
}

void add_large(Script& script, const ConcreteTensor& tensor, const Freedom& freedom, std::int64_t row,
               std::int64_t column) {
  CallPlan call = script.calls.front();
  call.typical = false;
  const double large = freedom.centre + kLarge * std::max(freedom.spread, 1e-6);
  call.values[tensor.index].edits = {
      SetElementEdit{place_of(tensor, row, column), std::clamp(large, freedom.low, freedom.high)}};
  add_related(script, call);
}

void add_tensor(CheckContext& context, const ConcreteShape& shape, const ConcreteTensor& tensor) {
  const Tensor& spec = context.contract().tensors[tensor.index];
  const Freedom freedom = freedom_of(context.contract(), spec);
  if (!freedom.continuous) return;
  const auto any = [&](std::int64_t below) {
    return static_cast<std::int64_t>(context.random().below(static_cast<std::uint64_t>(below)));
  };
  const std::int64_t rows = rows_of(tensor), columns = columns_of(tensor);
  Script script;
  script.needs = freedom.change_in_place;
  script.suspect = spec.name;
  script.story = "one element of " + spec.name + " is large, or all are scaled by a power of two";
  script.calls.push_back(context.fresh_call(shape));
  add_large(script, tensor, freedom, any(rows), any(columns));
  add_large(script, tensor, freedom, rows - 1, columns - 1);
  for (const int exponent : kExponents) {
    CallPlan call = script.calls.front();
    call.typical = false;
    call.values[tensor.index].edits = {ScaleEdit{std::clamp(exponent, -freedom.reach, freedom.reach)}, freedom.clamp()};
    add_related(script, call);
  }
  context.add(script);
}

void plan(CheckContext& context) {
  if (context.lifetime() != context.contract().lifetime || !context.contract().oracle) return;
  for (const ConcreteShape* shape : context.pick(context.effort())) {
    for (const ConcreteTensor& tensor : shape->tensors) {
      if (tensor.elements > 0) add_tensor(context, *shape, tensor);
    }
  }
}

const bool kRegistered = Registry<Check>::add(
    {"probe", "D", "A large number moves what depends on it alone; powers of two carry through to the last bit.",
     "D1 D2 D13", plan, "fresh-values one-tensor"});

}  // namespace
}  // namespace assay
