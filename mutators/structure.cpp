#include <algorithm>
#include <array>
#include <functional>

#include "core/check.h"
#include "core/freedom.h"

/// Theory: thresholds, capacities and short cuts are tuned to what random numbers look like. Data of other structure
/// passes through: blocks scaled apart, spikes, cancelling neighbours, zero blocks, sorted and tied rows, diagonal and
/// low-rank matrices, one run that holds everything. All of it stays inside the declared range.
namespace assay {
namespace {

struct Recipe {
  std::string_view story;  ///< "x: <story>"
  bool (*fits)(const Freedom&, const Tensor&, const ConcreteTensor&);
  std::vector<ValueEdit> (*edits)(const Freedom&, Random&);
};

using Edits = std::vector<ValueEdit>;

bool continuous(const Freedom& f, const Tensor&, const ConcreteTensor&) {
  return f.continuous;
}
bool with_zero(const Freedom& f, const Tensor&, const ConcreteTensor&) {
  return f.continuous && f.zero;
}
bool signed_values(const Freedom& f, const Tensor&, const ConcreteTensor&) {
  return f.continuous && f.both_signs;
}
bool matrix(const Freedom& f, const Tensor&, const ConcreteTensor& tensor) {
  return f.continuous && f.zero && tensor.shape.size() >= 2;
}
bool several_rows(const Freedom& f, const Tensor&, const ConcreteTensor& tensor) {
  return f.continuous && tensor.shape.size() >= 2;
}
bool any_order(const Freedom& f, const Tensor&, const ConcreteTensor&) {
  return f.exchangeable;
}
bool with_ties(const Freedom& f, const Tensor& tensor, const ConcreteTensor&) {
  return f.exchangeable && tensor.values->kind != ValueKind::permutation;
}
bool offsets(const Freedom& f, const Tensor& tensor, const ConcreteTensor&) {
  return f.changes && tensor.values->kind == ValueKind::offsets;
}

/// A power of two from 1 to 64: the side of a block.
std::int64_t side(Random& random) {
  return std::int64_t{1} << random.below(7);
}

int within(const Freedom& f, int exponent) {
  return std::clamp(exponent, -f.reach, f.reach);
}

Edits blocks(const Freedom& f, Random& r) {
  return {ScaleBlocksEdit{side(r), 4 * side(r), within(f, -12), within(f, 4), r()}, f.clamp()};
}
Edits rows(const Freedom& f, Random& r) {
  return {ScaleBlocksEdit{1, 0, within(f, -16), within(f, 8), r()}, f.clamp()};
}
Edits heavy_tails(const Freedom& f, Random& r) {
  return {ScaleBlocksEdit{1, 1, within(f, -8), within(f, 8), r()}, f.clamp()};
}
Edits spikes(const Freedom& f, Random& r) {
  const double high = f.centre + 512.0 * f.spread, low = f.centre - 512.0 * f.spread;
  return {SprinkleEdit{{high, low}, 1.0 / 1024, r()}, f.clamp()};
}
Edits cancelling(const Freedom& f, Random&) {
  return {CancelEdit{}, f.clamp()};
}
Edits zeros(const Freedom&, Random& r) {
  return {ZeroBlocksEdit{side(r), 4 * side(r), 0.5, r()}};
}
Edits ascending(const Freedom&, Random&) {
  return {SortEdit{false}};
}
Edits descending(const Freedom&, Random&) {
  return {SortEdit{true}};
}
Edits few_values(const Freedom&, Random& r) {
  return {TieEdit{2 + static_cast<std::int64_t>(r.below(3)), r()}};
}
Edits one_value_per_row(const Freedom&, Random& r) {
  return {TieEdit{1, r()}};
}
Edits diagonal(const Freedom&, Random&) {
  return {DiagonalEdit{}};
}
Edits low_rank(const Freedom& f, Random& r) {
  return {LowRankEdit{1 + static_cast<std::int64_t>(r.below(2)), r()}, f.clamp()};
}
Edits one_run(const Freedom&, Random& r) {
  return {OneRunEdit{r.unit()}};
}
Edits first_run(const Freedom&, Random&) {
  return {OneRunEdit{0.0}};
}
Edits last_run(const Freedom&, Random&) {
  return {OneRunEdit{1.0}};
}

constexpr std::array<Recipe, 15> kRecipes{{
    {"blocks of very different size", continuous, blocks},
    {"rows of very different size", continuous, rows},
    {"heavy tails", continuous, heavy_tails},
    {"isolated spikes", continuous, spikes},
    {"neighbours that cancel", signed_values, cancelling},
    {"zero blocks", with_zero, zeros},
    {"ascending rows", any_order, ascending},
    {"descending rows", any_order, descending},
    {"few different values", with_ties, few_values},
    {"one value per row", with_ties, one_value_per_row},
    {"a diagonal", matrix, diagonal},
    {"low rank", several_rows, low_rank},
    {"one run that holds everything", offsets, one_run},
    {"a first run that holds everything", offsets, first_run},
    {"a last run that holds everything", offsets, last_run},
}};

void add_tensor(CheckContext& context, const ConcreteShape& shape, const ConcreteTensor& tensor) {
  const Tensor& spec = context.contract().tensors[tensor.index];
  const Freedom freedom = freedom_of(context.contract(), spec);
  std::vector<const Recipe*> fitting;
  for (const Recipe& recipe : kRecipes) {
    if (recipe.fits(freedom, spec, tensor)) fitting.push_back(&recipe);
  }
  std::shuffle(fitting.begin(), fitting.end(), context.random());
  for (const Recipe* recipe : fitting) {
    Script script;
    script.needs = freedom.change_in_place;
    script.suspect = spec.name;
    script.story = spec.name + ": " + std::string(recipe->story);
    CallPlan call = context.fresh_call(shape);
    call.typical = false;
    call.values[tensor.index].edits = recipe->edits(freedom, context.random());
    script.calls.push_back(call);
    context.add(script);
  }
}

void plan(CheckContext& context) {
  // One call says it all, whatever the lifetime.
  if (context.lifetime() != context.contract().lifetime) return;
  for (const ConcreteShape* shape : context.pick(context.effort())) {
    for (const ConcreteTensor& tensor : shape->tensors) {
      if (tensor.elements > 0) add_tensor(context, *shape, tensor);
    }
  }
}

const bool kRegistered = Registry<Check>::add({"structure", "C", "Data that no random generator makes is computed too.",
                                               "C5 B7 C6 B6 C4", plan, "fresh-values one-tensor"});

}  // namespace
}  // namespace assay
