#include <cmath>
#include <limits>

#include "core/check.h"
#include "core/freedom.h"

/// Theory: NaN that becomes zero hides every earlier fault, a mask of infinities breaks running maxima, and flushed
/// denormals are lost precision. A few elements become NaN or infinite where the contract lets them through, so that
/// most outputs still have to be ordinary, and always the very first one, where running maxima start; then an eighth
/// becomes denormal or negative zero.
namespace assay {
namespace {

void add_call(CheckContext& context, const ConcreteShape& shape, const ConcreteTensor& tensor,
              const std::vector<double>& values, double share, const std::string& story) {
  const Tensor& spec = context.contract().tensors[tensor.index];
  Script script;
  script.suspect = spec.name;
  script.story = spec.name + " holds " + story;
  CallPlan call = context.fresh_call(shape);
  call.typical = false;
  call.values[tensor.index].edits = {SprinkleEdit{values, share, context.random()()},
                                     SetElementEdit{place_of(tensor, 0, 0), values.front()}};
  script.calls.push_back(call);
  context.add(script);
}

void add_tensor(CheckContext& context, const ConcreteShape& shape, const ConcreteTensor& tensor) {
  const Freedom freedom = freedom_of(context.contract(), context.contract().tensors[tensor.index]);
  if (!freedom.continuous) return;
  const double rows = static_cast<double>(rows_of(tensor));
  const double few = std::ceil(rows / 4) / static_cast<double>(tensor.elements);
  if (freedom.not_finite) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    add_call(context, shape, tensor, {std::numeric_limits<double>::quiet_NaN()}, few, "NaN");
    add_call(context, shape, tensor, {kInf}, few, "infinities");
    add_call(context, shape, tensor, {-kInf}, 4 * few, "negative infinities");
  }
  // Large denormals too: what becomes of small ones is lost in the roundings that an underflow excuses.
  const int bits = info(context.contract().tensors[tensor.index].dtype).significand_bits;
  const double large = std::ldexp(freedom.denormal, bits - 2);
  std::vector<double> tiny;
  if (freedom.denormal > 0.0) tiny = {freedom.denormal, large};
  if (freedom.denormal > 0.0 && freedom.both_signs) tiny.push_back(-1.5 * large);
  if (freedom.negative_zero) tiny.push_back(-0.0);
  if (!tiny.empty()) add_call(context, shape, tensor, tiny, 0.125, "denormals and zeros");
}

void plan(CheckContext& context) {
  if (context.lifetime() != context.contract().lifetime) return;
  for (const ConcreteShape* shape : context.pick(context.effort())) {
    for (const ConcreteTensor& tensor : shape->tensors) {
      if (tensor.elements > 0) add_tensor(context, *shape, tensor);
    }
  }
}

const bool kRegistered = Registry<Check>::add(
    {"special", "C", "NaN, infinities, negative zero and denormals come out as the operator has them.", "C11 D6 D8",
     plan, "fresh-values one-tensor"});

}  // namespace
}  // namespace assay
