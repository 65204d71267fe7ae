#pragma once
#include <optional>
#include <string>
#include <variant>

#include "core/contract.h"
#include "numerics/comparator.h"

namespace assay {

/// γₙ = n u / (1 - n u); infinite where n u >= 1. Bounds n roundings in a row (Higham, "Accuracy and Stability of
/// Numerical Algorithms", 2002, lemma 3.1).
double gamma(double n, double u);

/// γ̃ₙ(λ) = exp((λ √n u + n u²) / (1 - u)) - 1: holds with probability 1 - 2 exp(-λ² (1 - u)² / 2) per output where
/// rounding errors have mixed signs (Higham and Mary, "A new approach to probabilistic rounding error analysis", 2019).
double gamma_probabilistic(double n, double u, double lambda);

/// The λ at which all of m outputs hold together but with probability `doubt`: √(2 ln(2 m / doubt)).
double lambda_for(double outputs, double doubt);

/// Unit roundoff of a promised precision; 0 for exact and bits.
double unit_roundoff(Precision precision);

/// Whether rounding errors may be taken to have mixed signs. `any` falls back to γₙ (constant data, stagnation).
enum class ErrorSigns : std::uint8_t { mixed, any };

/// min(γₙ, γ̃ₙ(λ)) with λ from the union bound over `elements`; γₙ alone where mixed signs are not to be believed.
double likely_roundoff(double n, double u, std::int64_t elements, ErrorSigns signs);

/// Where a truth comes from. Against a reference both sides err: twice the roundings, each other term twice.
enum class TruthFrom : std::uint8_t { oracle, reference };

/// What decides about one output of one call, and the numbers it decides by.
struct Tolerance {
  enum class Rule : std::uint8_t { bound, band, exact };
  Rule rule = Rule::bound;
  CompareOptions options;  ///< for the comparator; its poison is the caller's
  double limit = 0.0;      ///< bound: the largest ρ that may be left after the output's rounding and underflow
  double n = 1.0;          ///< of the truth
  double matched = 1.0;    ///< band: share that must be inside
  std::optional<double> max_error;
  std::string derivation;  ///< the formula with its numbers, for reports
};

/// The tolerance of `output` against `truth`: CONTRACT.md's precision and policy, NUMERICS.md "Bounds".
Tolerance tolerance_for(const Contract& contract, const Tensor& output, const Truth& truth, std::int64_t elements,
                        TruthFrom from = TruthFrom::oracle, ErrorSigns signs = ErrorSigns::mixed);

/// Compares under a tolerance. A real truth under the exact rule is rounded to the output's type first.
ErrorProfile compare_under(const Tolerance& tolerance, const ConstTensorView& actual, const Truth& truth,
                           const std::optional<PoisonSpec>& poison);

/// Outcomes. The first leg that convicts is named, in the order of the enumeration.
enum class Leg : std::uint8_t { written, classes, exact, bound, band, max_error, property, localised, biased };
std::string_view name_of(Leg leg);

struct Within {
  double observed = 0.0, limit = 0.0;
};
struct Beyond {
  Leg leg = Leg::bound;
  double observed = 0.0;  ///< ρ, count or share, as the leg has it
  double limit = 0.0;
  std::int64_t index = -1;  ///< row-major, of the worst or the first element
  std::string message;      ///< one line without the element's name
};
struct NothingMeasured {};
using Judgement = std::variant<Within, Beyond, NothingMeasured>;

/// Whether an output is within its tolerance. The same function judges candidates and, against the oracle, references.
Judgement judge_profile(const Tolerance& tolerance, const ErrorProfile& profile);

/// Leg F: within the bound, but one block of the output is far worse than the others, or all errors lean to one side.
/// For values as the contract draws them and truths of an oracle; nothing: neither, or too little was measured.
std::optional<Beyond> judge_distribution(const Tolerance& tolerance, const ErrorProfile& profile);

/// Leg D: RMS of ρ against an honest run of the same precision. Worse is worth a note and never convicts alone.
struct AsGood {};
struct Worse {
  double observed = 0.0, limit = 0.0;
};
using Calibration = std::variant<AsGood, Worse>;
Calibration calibrate(const Tolerance& tolerance, const ErrorProfile& candidate, const ErrorProfile& reference);

}  // namespace assay
