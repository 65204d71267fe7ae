#include "core/exact_calls.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/freedom.h"
#include "core/oracle.h"

/// Theory: a sum of products of small whole numbers is exact in every order, so that not a tolerance but equality
/// decides. Small integers show tiles, tails and indices that go wrong by little; positive ones carry sums beyond what
/// a narrow accumulator can count (2^8 in bfloat16, 2^11 in float16); a single number a row, with nearly all the bits
/// that its type has, shows inputs that are rounded on the way; products beyond the range of float16 that cancel show
/// what can't hold them (NUMERICS.md, leg B and probes P2, P4 and P5). Only where inputs may hold such numbers.
namespace assay {
namespace {

constexpr std::int64_t kSmall = 3;
/// Three numbers of eleven bits, as an honest emulation of float32 uses them, hold so many bits and more.
constexpr int kMostBits = 19;
/// Powers of two of a factor at most, and of a product at least: float16 ends below 2^16.
constexpr int kFactor = 10, kProduct = 17;

/// Explicit bits that inputs of this type keep under the promise.
int bits_kept(const Contract& contract, const Tensor& tensor) {
  const int own = info(tensor.dtype).significand_bits, promised = significand_bits(contract.numerics.precision);
  return std::min({own - 1, (promised > 0 ? promised : own) - 1, kMostBits});
}

using Edits = std::vector<ValueEdit>;

Edits integers(Random& random, const Freedom& freedom, std::int64_t low, std::int64_t high) {
  low = std::max(low, static_cast<std::int64_t>(std::ceil(std::max(freedom.low, -64.0))));
  high = std::min(high, static_cast<std::int64_t>(std::floor(std::min(freedom.high, 64.0))));
  if (low >= high) return {};
  return {IntegersEdit{low, high, random()}};
}

/// Numbers from half of the largest power of two that is allowed.
std::optional<OneHotEdit> one_hot(Random& random, const Freedom& freedom, int bits) {
  if (!freedom.zero || !(freedom.high > 0.0) || bits < 1) return std::nullopt;
  const double reach = freedom.both_signs ? std::min(freedom.high, -freedom.low) : freedom.high;
  const int exponent = std::min(0, std::ilogb(reach) - 1);
  return OneHotEdit{bits, exponent, freedom.both_signs, random()};
}

/// The exponent of numbers that are large for this tensor; 0: they can't be of both signs, or not large.
int large_exponent(const Freedom& freedom) {
  const double reach = std::min(freedom.high, -freedom.low);
  return reach >= 1.0 ? std::min(std::ilogb(reach), kFactor) : 0;
}

/// Whether the promise and the types of all outputs have the range of float32.
bool wide_range(const Contract& contract) {
  const auto wide = [](Precision p) {
    return p == Precision::f64 || p == Precision::f32 || p == Precision::tf32 || p == Precision::bf16;
  };
  return wide(contract.numerics.precision) && wide(contract.numerics.accumulate) &&
         std::all_of(contract.tensors.begin(), contract.tensors.end(), [](const Tensor& t) {
           return !holds_output(t.role) || t.dtype == DType::f32 || t.dtype == DType::f64 || t.dtype == DType::bf16;
         });
}

bool is_free(const Contract& contract, const ConcreteTensor& tensor) {
  const Tensor& spec = contract.tensors[tensor.index];
  return holds_input(spec.role) && is_floating(spec.dtype) && tensor.elements > 0;
}

struct Maker {
  const Contract& contract;
  const ConcreteShape& shape;
  const CallPlan& fresh;
  std::vector<ExactCall> calls;

  /// Gives each free float tensor the edits that `draw` has for it; no call where one has none.
  template <class Draw>
  void add(const std::string& story, int granule, Draw&& draw) {
    CallPlan call = fresh;
    call.exact = true;
    call.granule = granule;
    for (const ConcreteTensor& tensor : shape.tensors) {
      if (!is_free(contract, tensor)) continue;
      const Freedom freedom = freedom_of(contract, contract.tensors[tensor.index]);
      Edits edits = freedom.continuous ? draw(tensor, freedom) : Edits();
      if (edits.empty()) return;
      call.values[tensor.index].edits = std::move(edits);
    }
    calls.push_back({story, std::move(call)});
  }

  void add_one_hot(const ConcreteTensor& hot, Random& random) {
    const Tensor& spec = contract.tensors[hot.index];
    const Freedom free = freedom_of(contract, spec);
    const int bits = bits_kept(contract, spec);
    const std::optional<OneHotEdit> probe = free.continuous ? one_hot(random, free, bits) : std::nullopt;
    if (!probe) return;
    add("one number a row of " + spec.name + ", with all its bits", bits - probe->exponent,
        [&](const ConcreteTensor& tensor, const Freedom& freedom) {
          return tensor.index == hot.index ? Edits{*probe} : integers(random, freedom, -1, 1);
        });
  }

  void add_large(Random& random) {
    int least = kFactor, product = 0;
    for (const ConcreteTensor& tensor : shape.tensors) {
      if (!is_free(contract, tensor)) continue;
      const int exponent = large_exponent(freedom_of(contract, contract.tensors[tensor.index]));
      least = std::min(least, exponent);
      product += exponent;
    }
    if (product < kProduct) return;
    add("products beyond the range of float16, which cancel", -least, [&](const ConcreteTensor&, const Freedom& f) {
      return Edits{IntegersEdit{-1, 1, random()}, ScaleEdit{large_exponent(f)}};
    });
  }
};

}  // namespace

bool sums_products(const Contract& contract) {
  if (!contract.oracle) return false;
  const std::vector<Oracle> all = Registry<Oracle>::all();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const Oracle& o) { return o.id == contract.oracle->builtin; });
  return it != all.end() && it->exact_sums;
}

std::vector<ExactCall> exact_calls(const Contract& contract, const ConcreteShape& shape, const CallPlan& fresh,
                                   Random& random) {
  if (!sums_products(contract)) return {};
  Maker maker{contract, shape, fresh, {}};
  maker.add("small whole numbers", 0,
            [&](const ConcreteTensor&, const Freedom& freedom) { return integers(random, freedom, -kSmall, kSmall); });
  maker.add("small positive whole numbers", 0,
            [&](const ConcreteTensor&, const Freedom& freedom) { return integers(random, freedom, 1, kSmall); });
  for (const ConcreteTensor& tensor : shape.tensors) {
    if (is_free(contract, tensor)) maker.add_one_hot(tensor, random);
  }
  if (wide_range(contract)) maker.add_large(random);
  return std::move(maker.calls);
}

}  // namespace assay
