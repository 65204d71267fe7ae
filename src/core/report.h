#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/axes.h"
#include "core/case.h"
#include "core/contract.h"

/// The one value that every report is rendered from (DESIGN.md, "The report"). Plain data: the judge, verdict/, timing/
/// and roi/ fill it, reports/ only read it.
namespace assay {

enum class Severity : std::uint8_t { error, note };
enum class Verdict : std::uint8_t { pass, fail, inconclusive, error };
enum class CheckOutcome : std::uint8_t { pass, finding, inconclusive, unsupported, error };

std::string_view name_of(Severity severity);
std::string_view name_of(Verdict verdict);
std::string_view name_of(CheckOutcome outcome);

/// A piece of evidence: a key with its unit in the name, and a number, a word or a truth value.
using EvidenceValue = std::variant<double, std::int64_t, std::string, bool>;
using Evidence = std::map<std::string, EvidenceValue>;

struct Counts {
  std::int64_t calls = 0;
  std::int64_t elements = 0;  ///< compared
  std::int64_t bytes = 0;     ///< guarded or compared bit by bit
  Counts& operator+=(const Counts& other);
};

/// A fact that breaks the contract (severity error) or that its owner should know (note).
struct Finding {
  std::string id;     ///< "f1", "f2", … within a report
  std::string check;  ///< the check, or the witness where that alone convicts
  std::string
      witness;  ///< what the judge saw: return, done, written, guards, inputs, classes, error, relation, residue, time
  std::string threat;  ///< id of THREATS.md, or empty
  Severity severity = Severity::error;
  std::string subject = "candidate";
  std::string message;  ///< what happened, where, expected and got
  std::string advice;   ///< what a kernel author can do about it
  std::string shape;    ///< "H=4096 T=1"
  std::string call;     ///< which call of which script: "2 of 2: x moves, the other tensors stay"
  Lifetime lifetime = Lifetime::fixed_address;  ///< the weakest lifetime under which it is a fault
  std::int64_t occurrences = 1;
  Evidence evidence;
  std::string replay;         ///< a command
  std::optional<Case> repro;  ///< where the fault reproduces alone
};

struct CheckResult {
  std::string id, family, claim;
  CheckOutcome outcome = CheckOutcome::inconclusive;
  std::string reason;  ///< where the outcome needs one
  Counts counts;
  double seconds = 0.0;
  std::vector<std::string> findings;  ///< ids
};

struct SubjectInfo {
  std::string path, digest, symbol;
};

struct LifetimeResult {
  bool required = false;  ///< the contract asks for it
  CheckOutcome outcome = CheckOutcome::inconclusive;
  std::int64_t calls = 0;
};

struct RunInfo {
  std::string id, started, depth, seed, device, sandbox;
  std::string folder;  ///< where the command was given: relative paths start here
  double seconds = 0.0;
  std::int64_t calls = 0;        ///< of the candidate, checked
  std::int64_t fused_calls = 0;  ///< more that would have been needed had each check made its own
  std::map<std::string, std::string> environment;
};

/// Errors of one subject on one output, over all calls with typical values. ρ is the scaled error (NUMERICS.md).
struct NumericsRow {
  std::string subject, tensor;
  std::int64_t elements = 0;
  double max_rho = 0.0, rms_rho = 0.0, mean_signed_rho = 0.0;
  double max_abs_error = 0.0, max_rel_error = 0.0;
  double limit = 0.0;                   ///< the largest ρ that the bound leg allows
  double spent_bits = 0.0;              ///< smallest k with |error| <= 2^k u scale everywhere
  std::map<int, std::int64_t> octaves;  ///< k → elements with 2^k <= ρ < 2^(k + 1)
};

/// A tolerance of 2^k u scale, and the share of elements that don't meet it.
struct SweepPoint {
  int k = 0;
  double outside = 0.0;
};
/// The tolerance sweep of a row: from the last k that nearly all elements miss to the first that all meet.
std::vector<SweepPoint> sweep_of(const NumericsRow& row);
/// Bits that the candidate spends beyond the reference on this output, by their largest errors; nothing where either
/// has none.
std::optional<double> gap_bits(const std::vector<NumericsRow>& rows, const std::string& tensor);

/// An estimate of a ratio or a time with its two-sided interval.
struct SpeedInterval {
  double estimate = 0.0, low = 0.0, high = 0.0;
  double confidence = 0.0;
};

/// Baseline against candidate in one cache regime (TIMING.md, "Comparing two subjects"). Ratios above 1: the candidate
/// is faster.
struct RegimeSpeed {
  std::string regime;                          ///< "cold" or "hot"
  double baseline_s = 0.0, candidate_s = 0.0;  ///< per call, medians
  double baseline_p99_s = 0.0, candidate_p99_s = 0.0;
  std::optional<SpeedInterval> speedup;  ///< nothing: it can't be told, `reason` says why
  std::string effect;                    ///< "faster", "slower", "equivalent" or "inconclusive"
  std::string reason;                    ///< of an inconclusive one
  std::optional<double> detectable;      ///< smallest relative effect that these counts show with power 0.8
  std::optional<double> p;               ///< of the effect, adjusted over the shapes (Holm)
  double process_variance = 0.0, pair_variance = 0.0;  ///< of the log speed-up
  int process_pairs = 0, pairs = 0;
};

/// Where a shape stands under the roofline of this machine.
struct SpeedStanding {
  std::string kind;  ///< "memory-bound", "compute-bound", "call-bound" or "underutilised"
  double floor_s = 0.0, share = 0.0, headroom = 1.0;
  double bytes_per_s = 0.0, flops_per_s = 0.0;
  bool memory_limits = true;
};

struct SpeedRow {
  std::string shape;
  std::int64_t calls = 0;
  double reference_s = 0.0, candidate_s = 0.0;  ///< medians of single checked calls by the judge's clock; 0: none
  double weight = 0.0;
  std::string method;                ///< "bursts of 24 calls", "single calls: why"; empty: not timed
  std::vector<RegimeSpeed> regimes;  ///< the one that decides first
  double baseline_first_call_s = 0.0, candidate_first_call_s = 0.0;  ///< of this shape in a process, medians
  double candidate_single_s = 0.0;                                   ///< a single call beyond an empty one
  double candidate_told_s = 0.0;  ///< per call by the worker's own clock: evidence at most
  double processors = 0.0;        ///< processor time over wall time
  bool call_bound = false;        ///< a call takes less than 1.3 empty ones
  std::optional<SpeedStanding> standing;
  std::vector<std::string> notes;
};

/// What the machine can do at most, as measured beside the trial.
struct SpeedPeaks {
  double bytes_per_s = 0.0, f32_flops_per_s = 0.0, f64_flops_per_s = 0.0;
  std::string instructions;
};

struct SpeedSection {
  std::vector<SpeedRow> shapes;
  std::string untimed;                   ///< why no speed-up was measured; empty: it was
  std::optional<RegimeSpeed> mix;        ///< sum of weight x time over production's shapes
  std::optional<SpeedInterval> control;  ///< the baseline against itself: 1 on a fit machine
  bool fit = false;                      ///< the control lies inside 1 +- delta
  double delta = 0.0;
  double baseline_load_s = 0.0, candidate_load_s = 0.0;
  double empty_call_s = 0.0;  ///< a single call of a subject that does nothing
  double seconds = 0.0;
  std::optional<SpeedPeaks> peaks;
  std::vector<std::string> disturbances;  ///< what the machine did besides
  std::string campaign;                   ///< "submission 3 of …"; empty: no campaign
};

/// A wrong result that the contract lets pass.
struct Survivor {
  std::string name;     ///< "y: the last row is missing"
  double damage = 0.0;  ///< RMS of the difference over that of the right result
};

struct AdequacyGroup {
  std::string name;  ///< "null model", "lost work", "wrong place", "wrong input" or "precision"
  std::int64_t mutants = 0, killed = 0;
  std::vector<Survivor> survivors;  ///< the least harmful first
};

/// Whether the contract can tell wrong from right.
struct AdequacySection {
  std::string shape;
  std::string reason;  ///< why nothing was examined; empty: it was
  std::vector<AdequacyGroup> groups;
  std::vector<std::string> inadequate;  ///< why it can't; empty: it can
  std::vector<std::string> proposals;
};

/// How many trials a published rule would have accepted.
struct ElsewhereRow {
  std::string rule;  ///< "KernelBench"
  int accepted = 0, trials = 0;
};

/// Something about the candidate's file that its owner may want to know. Decides nothing.
struct Hint {
  std::string kind;   ///< "import", "library", "section", "constructor", "name"
  std::string what;   ///< "ptrace", "libcublas.so.12"
  std::string means;  ///< why it is worth a look
};

struct AuditReport {
  int schema = 1;
  std::string tool;  ///< name and version
  RunInfo run;
  std::string contract_name, contract_path, contract_digest;
  std::map<std::string, SubjectInfo> subjects;  ///< reference, candidate, baseline
  Verdict verdict = Verdict::inconclusive;
  std::vector<std::string> reasons;
  std::vector<CheckResult> checks;
  std::vector<Finding> findings;
  std::map<std::string, LifetimeResult> lifetimes;
  std::vector<NumericsRow> numerics;
  AdequacySection adequacy;
  std::vector<ElsewhereRow> elsewhere;  ///< empty: nothing was rehearsed
  std::string truth;                    ///< what decided about values: "oracle rmsnorm" or "reference"
  SpeedSection speed;
  std::vector<std::string> not_covered;
  std::vector<Hint> hints;  ///< of the candidate
};

}  // namespace assay
