#include "verdict/tolerance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/oracle.h"
#include "numerics/float_formats.h"

/// Theory of operation. An output y with error scale s may be off by
///     (2 u_in + γ) s + u_out |y| + floor,
/// where γ = min(γₙ, γ̃ₙ(λ)) bounds n roundings in the accumulation's precision, 2 u_in is there only where the
/// contract's inputs are wider than the promised precision (the kernel may then round them), λ u √Σ joins it where an
/// operator has intermediate tensors that may be rounded to the promised precision, u_out |y| covers what happens after
/// the accumulation in a coarser type, and floor covers underflow. The comparator takes u_out |y| + floor off each
/// error and divides what is left by u s, so leg C is one number against one limit. Policies allclose, exact and bits
/// replace it.
namespace assay {
namespace {

constexpr double kDoubt = 1e-3;           ///< that an honest output of one call exceeds γ̃
constexpr double kLargestDrift = 0.0625;  ///< n u up to which mixed signs are believed: beyond, sums stagnate
constexpr double kFloat32 = 0x1p-24;
/// Two halves of eleven bits leave 2 u of each factor, and the product of both lower halves, at most 4 u, isn't made.
constexpr double kEmulatedProduct = 8.0;
constexpr double kOutlier = 6.0;        ///< RMS of a block in units of the median block's
constexpr double kQuietShare = 0.1;     ///< of the bound: no block below it is loud
constexpr double kLeaningShare = 0.25;  ///< of the bound: a mean error beyond it is a bias
constexpr std::int64_t kFewestBlocks = 8, kFewestMeasured = 256;
constexpr double kTruthRounding = 0x1p-53;  ///< a truth is rounded once, to double

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

DType dtype_of(Precision precision) {
  constexpr std::array<DType, 9> kTypes{DType::f64,  DType::f32,  DType::f32, DType::f16, DType::bf16,
                                        DType::e4m3, DType::e5m2, DType::f64, DType::f64};
  return kTypes[static_cast<std::size_t>(precision)];
}

bool has_wider_inputs(const Contract& contract, double u) {
  return std::any_of(contract.tensors.begin(), contract.tensors.end(), [u](const Tensor& t) {
    return t.role != Role::out && t.role != Role::scratch && is_floating(t.dtype) &&
           limits_of(t.dtype).unit_roundoff < u;
  });
}

/// Roundings after the sum, relative to |y|: into the output's type, and one intermediate value in the promised
/// precision.
double output_rounding(const Numerics& numerics, double u_type, double u_accumulate) {
  const double u = unit_roundoff(numerics.precision);
  const double store = u_type > u_accumulate ? u_type : 0.0;
  const double between = u > u_accumulate ? u : 0.0;
  return store + between + kTruthRounding;
}

/// Underflow: half a subnormal spacing for the result and for each of n operations; the smallest normal where denormals
/// are flushed.
double underflow_floor(const Numerics& numerics, DType output, double n) {
  const FloatLimits out = limits_of(output), sum = limits_of(dtype_of(numerics.accumulate));
  if (numerics.denormals == Denormals::flush) return out.smallest_normal + n * sum.smallest_normal;
  return 0.5 * out.smallest_subnormal + n * (0.5 * sum.smallest_subnormal);
}

void set_bound(Tolerance& t, const Contract& contract, const Tensor& output, std::int64_t elements, double copies,
               double intermediates, bool matrix_unit, ErrorSigns signs) {
  const Numerics& numerics = contract.numerics;
  const double u = t.options.u, u_acc = unit_roundoff(numerics.accumulate);
  const double lambda = lambda_for(static_cast<double>(std::max<std::int64_t>(elements, 1)), kDoubt);
  const double roundings = copies * t.n;  // against a reference: its roundings and the candidate's
  const double worst = gamma(roundings, u_acc);
  const bool mixed = signs == ErrorSigns::mixed && roundings * u_acc <= kLargestDrift;
  const double likely = mixed ? gamma_probabilistic(roundings, u_acc, lambda) : worst;
  const double inputs = has_wider_inputs(contract, u) ? 2.0 * u : 0.0;
  t.options.u_out = copies * output_rounding(numerics, limits_of(output.dtype).unit_roundoff, u_acc);
  t.options.floor = copies * underflow_floor(numerics, output.dtype, t.n);
  const double between = u > u_acc && intermediates > 0.0 ? lambda * u * intermediates : 0.0;
  const double emulated = matrix_unit && u_acc == kFloat32 ? kEmulatedProduct * u_acc : 0.0;
  t.limit = (std::min(worst, likely) + copies * (inputs + between + emulated)) / u;
  t.options.overflow_margin = t.limit;
  t.derivation = std::string(likely < worst ? "probabilistic" : "deterministic") + " bound, n = " + number(t.n) +
                 (likely < worst ? ", lambda = " + number(lambda) : std::string()) + ", u = " + number(u) +
                 (u_acc != u ? ", sums at u = " + number(u_acc) : std::string()) +
                 (inputs > 0 ? ", inputs may be rounded" : "") + (between > 0 ? ", so may intermediates" : "") +
                 (copies > 1 ? ", both sides err" : "") + ": rho <= " + number(t.limit);
}

std::string count_of(std::int64_t count, std::int64_t all) {
  return std::to_string(count) + " of " + std::to_string(all) + " elements";
}

Beyond beyond(Leg leg, double observed, double limit, std::int64_t index, std::string message) {
  return {leg, observed, limit, index, std::move(message)};
}

std::optional<Beyond> structural_fault(const Tolerance& t, const ErrorProfile& p) {
  if (p.unwritten.count > 0) {
    return beyond(Leg::written, static_cast<double>(p.unwritten.count), 0.0, p.unwritten.first,
                  count_of(p.unwritten.count, p.elements) + " were never written");
  }
  if (p.class_mismatches.count > 0 && t.rule != Tolerance::Rule::exact) {
    return beyond(
        Leg::classes, static_cast<double>(p.class_mismatches.count), 0.0, p.class_mismatches.first,
        count_of(p.class_mismatches.count, p.elements) + " are NaN or infinite where the truth is not, or the reverse");
  }
  return std::nullopt;
}

Judgement judge_exact(const ErrorProfile& p) {
  if (p.mismatches.count == 0) return Within{0.0, 0.0};
  return beyond(Leg::exact, static_cast<double>(p.mismatches.count), 0.0, p.mismatches.first,
                count_of(p.mismatches.count, p.elements) + " differ where equality is promised");
}

Judgement judge_band(const Tolerance& t, const ErrorProfile& p) {
  const double allowed = (1.0 - t.matched) * static_cast<double>(p.elements);
  if (static_cast<double>(p.outside.count) > allowed) {
    return beyond(
        Leg::band, static_cast<double>(p.outside.count), allowed, p.outside.first,
        count_of(p.outside.count, p.elements) + " lie outside the band, allowed are " + number(std::floor(allowed)));
  }
  if (t.max_error && p.absolute.max > *t.max_error) {
    return beyond(Leg::max_error, p.absolute.max, *t.max_error, p.absolute.at,
                  "the largest error is " + number(p.absolute.max) + ", allowed is " + number(*t.max_error));
  }
  return Within{static_cast<double>(p.outside.count), allowed};
}

/// Beyond this the figure says nothing any more: the truth is 0, or the element has nothing to do with it.
constexpr double kHopeless = 1e12;

Judgement judge_bound(const Tolerance& t, const ErrorProfile& p) {
  if (p.excess.max <= t.limit) return Within{p.excess.max, t.limit};
  const std::string size = p.excess.max > kHopeless ? "more than 1e12" : number(p.excess.max);
  return beyond(Leg::bound, p.excess.max, t.limit, p.excess.at,
                "the error is " + size + " units of u * scale, the bound allows " + number(t.limit));
}

}  // namespace

double gamma(double n, double u) {
  const double drift = n * u;
  return drift < 1.0 ? drift / (1.0 - drift) : std::numeric_limits<double>::infinity();
}

double gamma_probabilistic(double n, double u, double lambda) {
  return std::expm1((lambda * std::sqrt(n) * u + n * u * u) / (1.0 - u));
}

double lambda_for(double outputs, double doubt) {
  return std::sqrt(2.0 * std::log(2.0 * outputs / doubt));
}

double likely_roundoff(double n, double u, std::int64_t elements, ErrorSigns signs) {
  const double worst = gamma(n, u);
  if (signs == ErrorSigns::any || n * u > kLargestDrift) return worst;
  const double lambda = lambda_for(static_cast<double>(std::max<std::int64_t>(elements, 1)), kDoubt);
  return std::min(worst, gamma_probabilistic(n, u, lambda));
}

double unit_roundoff(Precision precision) {
  const int bits = significand_bits(precision);
  return bits > 0 ? power_of_two(-bits) : 0.0;
}

std::string_view name_of(Leg leg) {
  constexpr std::array<std::string_view, 9> kNames{"written",   "classes",  "exact",     "bound", "band",
                                                   "max-error", "property", "localised", "biased"};
  return kNames[static_cast<std::size_t>(leg)];
}

Tolerance tolerance_for(const Contract& contract, const Tensor& output, const Truth& truth, std::int64_t elements,
                        TruthFrom from, ErrorSigns signs) {
  const Numerics& numerics = contract.numerics;
  const auto* real = std::get_if<RealTruth>(&truth);
  Tolerance t;
  const double promised = unit_roundoff(numerics.precision);
  t.options.u = promised > 0 ? promised : is_floating(output.dtype) ? limits_of(output.dtype).unit_roundoff : 0x1p-53;
  t.options.bits = numerics.precision == Precision::bits;
  t.options.special_values = numerics.special_values == SpecialValues::propagate;
  t.n = real ? real->n : 1.0;
  if (numerics.policy == Policy::allclose) {
    t.rule = Tolerance::Rule::band;
    t.options.band = Band{numerics.rtol, numerics.atol};
    t.matched = numerics.matched;
    t.max_error = numerics.max_error;
    t.derivation = "|x - y| <= " + number(numerics.atol) + " + " + number(numerics.rtol) + " |y|, as the contract says";
  } else if (!real || promised == 0.0) {
    t.rule = Tolerance::Rule::exact;
    t.derivation = t.options.bits ? "equal bits" : "equal values";
  } else {
    set_bound(t, contract, output, elements, from == TruthFrom::reference ? 2.0 : 1.0, real->between, real->matrix_unit,
              signs);
  }
  return t;
}

ErrorProfile compare_under(const Tolerance& tolerance, const ConstTensorView& actual, const Truth& truth,
                           const std::optional<PoisonSpec>& poison) {
  CompareOptions options = tolerance.options;
  options.poison = poison;
  const auto* real = std::get_if<RealTruth>(&truth);
  if (tolerance.rule != Tolerance::Rule::exact || !real) return compare(actual, truth, options);
  ExactTruth rounded;
  const auto size = static_cast<std::size_t>(info(actual.dtype).bytes);
  rounded.bytes.resize(real->value.size() * size);
  for (std::size_t i = 0; i < real->value.size(); ++i) {
    store_element(actual.dtype, rounded.bytes.data() + i * size, real->value[i]);
  }
  return compare(actual, rounded, options);
}

Judgement judge_profile(const Tolerance& tolerance, const ErrorProfile& profile) {
  if (auto fault = structural_fault(tolerance, profile)) return *fault;
  if (profile.elements == 0) return NothingMeasured{};
  switch (tolerance.rule) {
    case Tolerance::Rule::exact:
      return judge_exact(profile);
    case Tolerance::Rule::band:
      return judge_band(tolerance, profile);
    case Tolerance::Rule::bound:
      break;
  }
  // A truth of equal bytes under the bound rule can't happen; differences it counts would still convict.
  if (profile.mismatches.count > 0) return judge_exact(profile);
  return judge_bound(tolerance, profile);
}

std::optional<Beyond> judge_distribution(const Tolerance& t, const ErrorProfile& p) {
  if (t.rule != Tolerance::Rule::bound || p.measured < kFewestMeasured) return std::nullopt;
  // What the rounding of outputs adds to every error, whatever the bound on the rest.
  const double rounding = t.options.u_out / t.options.u;
  if (p.scaled.max > t.limit + rounding) return std::nullopt;  // underflow excuses some: their errors say nothing
  const double floor = std::max(1.0, kQuietShare * t.limit) + rounding;
  if (p.blocks >= kFewestBlocks && !p.worst_blocks.empty()) {
    const BlockError& worst = p.worst_blocks.front();
    if (worst.rms > kOutlier * p.median_block_rms && worst.rms > floor) {
      return beyond(Leg::localised, worst.rms, std::max(floor, kOutlier * p.median_block_rms), worst.first,
                    "one block of " + std::to_string(p.blocks) + " is far less accurate than the others: RMS of its " +
                        "scaled error is " + number(worst.rms) + ", the median of all blocks " +
                        number(p.median_block_rms));
    }
  }
  const double leaning = kLeaningShare * (t.limit + rounding);
  if (std::fabs(p.mean_signed_rho) <= leaning) return std::nullopt;
  return beyond(Leg::biased, std::fabs(p.mean_signed_rho), leaning, -1,
                "errors lean to one side: their mean is " + number(p.mean_signed_rho) + " units of u * scale over " +
                    std::to_string(p.measured) + " elements");
}

Calibration calibrate(const Tolerance& tolerance, const ErrorProfile& candidate, const ErrorProfile& reference) {
  const double limit = std::max(4.0 * reference.scaled.rms, 0.25 * std::sqrt(tolerance.n));
  if (candidate.scaled.rms <= limit) return AsGood{};
  return Worse{candidate.scaled.rms, limit};
}

}  // namespace assay
