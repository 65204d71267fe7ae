#include <algorithm>
#include <cmath>
#include <optional>

#include "core/check.h"
#include "core/freedom.h"
#include "core/oracle.h"

/// Theory: a sum of products of small whole numbers is exact in every order, so that not a tolerance but equality
/// decides. Small integers show tiles, tails and indices that go wrong by little; positive ones carry sums beyond what
/// a narrow accumulator can count (2^8 in bfloat16, 2^11 in float16); a single number a row, with nearly all the bits
/// that its type has, shows inputs that are rounded on the way (NUMERICS.md, legs B, P2 and P4). Only for operators
/// that are sums of products, and only where their inputs may hold such numbers.
namespace assay {
namespace {

constexpr std::int64_t kSmall = 3;
/// Three numbers of eleven bits, as an honest emulation of float32 uses them, hold so many bits and more.
constexpr int kMostBits = 19;

bool sums_products(const Contract& contract) {
  if (!contract.oracle) return false;
  const std::vector<Oracle> all = Registry<Oracle>::all();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const Oracle& o) { return o.id == contract.oracle->builtin; });
  return it != all.end() && it->exact_sums;
}

/// Explicit bits that inputs of this type keep under the promise.
int bits_kept(const Contract& contract, const Tensor& tensor) {
  const int own = info(tensor.dtype).significand_bits, promised = significand_bits(contract.numerics.precision);
  return std::min({own - 1, (promised > 0 ? promised : own) - 1, kMostBits});
}

using Edit = std::optional<ValueEdit>;

Edit integers(CheckContext& context, const Freedom& freedom, std::int64_t low, std::int64_t high) {
  low = std::max(low, static_cast<std::int64_t>(std::ceil(std::max(freedom.low, -64.0))));
  high = std::min(high, static_cast<std::int64_t>(std::floor(std::min(freedom.high, 64.0))));
  if (low >= high) return std::nullopt;
  return IntegersEdit{low, high, context.random()()};
}

/// Numbers from half of the largest power of two that is allowed.
Edit one_hot(CheckContext& context, const Freedom& freedom, int bits) {
  if (!freedom.zero || !(freedom.high > 0.0) || bits < 1) return std::nullopt;
  const double reach = freedom.both_signs ? std::min(freedom.high, -freedom.low) : freedom.high;
  const int exponent = std::min(0, std::ilogb(reach) - 1);
  return OneHotEdit{bits, exponent, freedom.both_signs, context.random()()};
}

/// Gives each free float tensor the edit that `draw` has for it; nothing where one has none.
template <class Draw>
void add_call(CheckContext& context, const ConcreteShape& shape, const std::string& story, int granule, Draw&& draw) {
  CallPlan call = context.fresh_call(shape);
  call.exact = true;
  call.granule = granule;
  for (const ConcreteTensor& tensor : shape.tensors) {
    const Tensor& spec = context.contract().tensors[tensor.index];
    if (!holds_input(spec.role) || !is_floating(spec.dtype) || tensor.elements == 0) continue;
    const Freedom freedom = freedom_of(context.contract(), spec);
    const Edit edit = freedom.continuous ? draw(tensor, freedom) : std::nullopt;
    if (!edit) return;
    call.values[tensor.index].edits = {*edit};
  }
  Script script;
  script.story = story;
  script.calls.push_back(std::move(call));
  context.add(std::move(script));
}

void add_one_hot(CheckContext& context, const ConcreteShape& shape, const ConcreteTensor& hot) {
  const Tensor& spec = context.contract().tensors[hot.index];
  const int bits = bits_kept(context.contract(), spec);
  const Edit probe = one_hot(context, freedom_of(context.contract(), spec), bits);
  if (!probe) return;
  const int granule = bits - std::get<OneHotEdit>(*probe).exponent;
  add_call(context, shape, "one number a row of " + spec.name + ", with all its bits", granule,
           [&](const ConcreteTensor& tensor, const Freedom& freedom) {
             return tensor.index == hot.index ? probe : integers(context, freedom, -1, 1);
           });
}

void add_shape(CheckContext& context, const ConcreteShape& shape) {
  add_call(context, shape, "small whole numbers", 0,
           [&](const ConcreteTensor&, const Freedom& freedom) { return integers(context, freedom, -kSmall, kSmall); });
  add_call(context, shape, "small positive whole numbers", 0,
           [&](const ConcreteTensor&, const Freedom& freedom) { return integers(context, freedom, 1, kSmall); });
  for (const ConcreteTensor& tensor : shape.tensors) {
    const Tensor& spec = context.contract().tensors[tensor.index];
    const bool hot = holds_input(spec.role) && is_floating(spec.dtype) && tensor.elements > 0;
    if (hot && freedom_of(context.contract(), spec).continuous) add_one_hot(context, shape, tensor);
  }
}

void plan(CheckContext& context) {
  if (context.lifetime() != context.contract().lifetime || !sums_products(context.contract())) return;
  for (const ConcreteShape* shape : context.pick(context.effort())) add_shape(context, *shape);
}

const bool kRegistered =
    Registry<Check>::add({"exact", "D", "Sums of products of few-bit numbers are exact, whatever their order.",
                          "D1 D2 B8 C6", plan, "fresh-values one-tensor"});

}  // namespace
}  // namespace assay
