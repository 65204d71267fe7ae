#include <algorithm>
#include <array>
#include <set>

#include "core/check.h"
#include "core/freedom.h"

/// Theory: a kernel may look at magnitudes and take a cheaper way where numbers are small or large. All values of a
/// tensor shrink or grow by a power of two, or gather around the numbers at which such kernels like to switch.
namespace assay {
namespace {

/// Where code likes to switch: powers of two, the ends of exp in float32, the largest numbers of narrow types.
constexpr std::array<double, 20> kThresholds{0.0625, 0.125, 0.5, 1,  2,  3,   4,   6,   8,    10,
                                             16,     20,    32,  64, 88, 104, 128, 256, 1024, 4096};

CallPlan one_call(CheckContext& context, const ConcreteShape& shape) {
  CallPlan call = context.fresh_call(shape);
  call.typical = false;
  return call;
}

void add_call(CheckContext& context, const ConcreteShape& shape, const ConcreteTensor& tensor, const std::string& story,
              std::vector<ValueEdit> edits) {
  Script script;
  script.suspect = context.contract().tensors[tensor.index].name;
  script.story = script.suspect + " " + story;
  CallPlan call = one_call(context, shape);
  call.values[tensor.index].edits = std::move(edits);
  script.calls.push_back(call);
  context.add(script);
}

std::vector<double> around_thresholds(const Freedom& freedom) {
  std::vector<double> values;
  for (const double threshold : kThresholds) {
    for (const double value : {threshold * (1 - 0x1p-10), threshold, threshold * (1 + 0x1p-10)}) {
      if (value <= freedom.high) values.push_back(value);
      if (freedom.both_signs && -value >= freedom.low) values.push_back(-value);
    }
  }
  return values;
}

/// A few steps down and up, and to the end of what is accurate: a way that is right for tiny numbers only shows beside
/// its threshold, not far from it.
std::set<int> exponents(int reach) {
  std::set<int> all;
  for (const int exponent : {-10, -8, -6, -4, -2, 3, 6, 11}) all.insert(std::clamp(exponent, -reach, reach));
  all.insert(-reach);
  all.erase(0);
  return all;
}

void add_tensor(CheckContext& context, const ConcreteShape& shape, const ConcreteTensor& tensor) {
  const Freedom freedom = freedom_of(context.contract(), context.contract().tensors[tensor.index]);
  if (!freedom.continuous) return;
  for (const int exponent : exponents(freedom.reach)) {
    const std::string story = exponent < 0 ? "is scaled down by a power of two" : "is scaled up by a power of two";
    add_call(context, shape, tensor, story, {ScaleEdit{exponent}, freedom.clamp()});
  }
  add_call(context, shape, tensor, "lies around round thresholds",
           {SprinkleEdit{around_thresholds(freedom), 0.5, context.random()()}, freedom.clamp()});
}

void plan(CheckContext& context) {
  if (context.lifetime() != context.contract().lifetime) return;
  for (const ConcreteShape* shape : context.pick(context.effort())) {
    for (const ConcreteTensor& tensor : shape->tensors) {
      if (tensor.elements > 0) add_tensor(context, *shape, tensor);
    }
  }
}

const bool kRegistered =
    Registry<Check>::add({"scale", "C", "Small and large numbers are computed as accurately as ordinary ones.",
                          "C3 B3 D7 D13", plan, "fresh-values one-tensor"});

}  // namespace
}  // namespace assay
