#include "judge/relations.h"

#include <algorithm>
#include <cmath>

#include "core/exact_calls.h"
#include "numerics/float_formats.h"

namespace assay {

std::vector<Observation> broken_relation(const Contract& contract, const ConcreteShape& shape, const Script& script,
                                         const Relation& relation, const TwoResults& actual) {
  for (const ConcreteTensor& tensor : shape.tensors) {
    const Tensor& spec = contract.tensors[tensor.index];
    if (!holds_output(spec.role)) continue;
    const Bytes a = packed(contract, tensor, actual.first[tensor.index].data());
    const Bytes b = packed(contract, tensor, actual.second[tensor.index].data());
    const auto change = first_difference(a.data(), b.data(), a.size());
    if (!change) continue;
    const std::int64_t element = static_cast<std::int64_t>(*change) / info(spec.dtype).bytes;
    // Only a promise of determinism makes other bits a fault: within tolerance they are an honest kernel's right.
    const bool promised = contract.numerics.deterministic.value_or(false);
    return {{"relation",
             spec.name,
             "",
             promised ? Severity::error : Severity::note,
             spec.name + " has other bits in call " + std::to_string(relation.second + 1) + " than in call " +
                 std::to_string(relation.first + 1) + " (" + script.story + "), first at " +
                 index_text(tensor.shape, element),
             {{"tensor", spec.name}, {"index", index_text(tensor.shape, element)}}}};
  }
  return {};
}

namespace {

/// Where the reference's draws differ in so many elements, independent draws that are all equal don't happen.
constexpr std::int64_t kOtherDraws = 64;

std::int64_t different_elements(const Bytes& a, const Bytes& b, std::size_t size) {
  if (a.size() != b.size()) return 0;
  std::int64_t different = 0;
  for (std::size_t at = 0; at < a.size(); at += size) {
    different +=
        std::equal(a.begin() + static_cast<std::ptrdiff_t>(at), a.begin() + static_cast<std::ptrdiff_t>(at + size),
                   b.begin() + static_cast<std::ptrdiff_t>(at))
            ? 0
            : 1;
  }
  return different;
}

}  // namespace

std::vector<Observation> same_draws(const Contract& contract, const ConcreteShape& shape, const Script& script,
                                    const TwoResults& actual, const TwoResults& expected) {
  for (const ConcreteTensor& tensor : shape.tensors) {
    const std::size_t t = tensor.index;
    const Tensor& spec = contract.tensors[t];
    const auto different = [&](const TwoResults& two) -> std::int64_t {
      if (two.first[t].empty() || two.second[t].empty()) return -1;
      return different_elements(packed(contract, tensor, two.first[t].data()),
                                packed(contract, tensor, two.second[t].data()),
                                static_cast<std::size_t>(info(spec.dtype).bytes));
    };
    if (!holds_output(spec.role) || different(actual) != 0) continue;
    const std::int64_t others = different(expected);
    if (others < kOtherDraws) continue;
    return {{"relation",
             spec.name,
             "D12",
             Severity::error,
             spec.name + " holds the same draws under two seeds (" + script.story + "); the reference's differ in " +
                 std::to_string(others) + " of " + std::to_string(tensor.elements) + " elements",
             {{"tensor", spec.name}, {"reference_differs_in", others}}}};
  }
  return {};
}

namespace {

/// Below this a float32 may have lost bits on its way through denormals; above the other one it may overflow soon.
constexpr double kFaint = 1e-30, kHuge = 1e30;

/// e where `b` = `a` 2^e for value and scale both, and only then.
std::optional<int> power_between(const RealTruth& a, const RealTruth& b, std::size_t i) {
  if (!(a.scale[i] > kFaint && b.scale[i] > kFaint && a.scale[i] < kHuge && b.scale[i] < kHuge)) return std::nullopt;
  const int exponent = std::ilogb(b.scale[i]) - std::ilogb(a.scale[i]);
  const bool holds = std::ldexp(a.scale[i], exponent) == b.scale[i] && std::ldexp(a.value[i], exponent) == b.value[i];
  return holds ? std::optional(exponent) : std::nullopt;
}

/// The range of a type in which a power of two changes no bits of a significand.
bool keeps_bits(DType dtype, double value) {
  const double size = std::fabs(value), least = dtype == DType::f16    ? 0x1p-14
                                                : dtype == DType::e4m3 ? 0x1p-6
                                                : dtype == DType::e5m2 ? 0x1p-14
                                                                       : kFaint;
  return value == 0.0 || (std::isfinite(value) && size >= least && size < kHuge);
}

struct Broken {
  std::int64_t elements = 0, first = -1;
};

Broken broken_powers(const TwoResults& results, const ConcreteTensor& tensor, const Contract& contract,
                     const RealTruth& a, const RealTruth& b) {
  const DType dtype = contract.tensors[tensor.index].dtype;
  const auto size = info(dtype).bytes;
  const Bytes one = packed(contract, tensor, results.first[tensor.index].data()),
              other = packed(contract, tensor, results.second[tensor.index].data());
  Broken broken;
  for (std::int64_t i = 0; i < tensor.elements; ++i) {
    const auto exponent = power_between(a, b, static_cast<std::size_t>(i));
    const double x = load_element(dtype, one.data() + i * size), y = load_element(dtype, other.data() + i * size);
    if (!exponent || !keeps_bits(dtype, x) || !keeps_bits(dtype, y) || std::ldexp(x, *exponent) == y) continue;
    if (broken.elements++ == 0) broken.first = i;
  }
  return broken;
}

const RealTruth* real_truth(const CallTruth& truth, std::size_t tensor) {
  return truth.outputs[tensor] ? std::get_if<RealTruth>(&*truth.outputs[tensor]) : nullptr;
}

}  // namespace

std::vector<Observation> not_by_power_of_two(const Contract& contract, const ConcreteShape& shape, const Script& script,
                                             const TwoResults& actual, const CallTruth& first,
                                             const CallTruth& second) {
  const bool promised = contract.numerics.deterministic.value_or(false) && sums_products(contract) &&
                        contract.numerics.policy == Policy::calibrated;
  for (const ConcreteTensor& tensor : shape.tensors) {
    const std::size_t t = tensor.index;
    const RealTruth *a = real_truth(first, t), *b = real_truth(second, t);
    if (!a || !b || actual.first[t].empty() || actual.second[t].empty()) continue;
    const Broken broken = broken_powers(actual, tensor, contract, *a, *b);
    if (broken.elements == 0 || first.reference[t].empty() || second.reference[t].empty()) continue;
    if (broken_powers({first.reference, second.reference}, tensor, contract, *a, *b).elements > 0) continue;
    const std::string& name = contract.tensors[t].name;
    return {{"relation",
             name,
             "D1",
             promised ? Severity::error : Severity::note,
             name + " differs from another call's result in " + std::to_string(broken.elements) + " of " +
                 std::to_string(tensor.elements) +
                 " elements by something else than the power of two that the operator and the reference have there (" +
                 script.story + "), first at " + index_text(tensor.shape, broken.first),
             {{"tensor", name}, {"elements", broken.elements}, {"index", index_text(tensor.shape, broken.first)}}}};
  }
  return {};
}

}  // namespace assay
