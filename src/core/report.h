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
  double limit = 0.0;       ///< the largest ρ that the bound leg allows
  double spent_bits = 0.0;  ///< smallest k with |error| <= 2^k u scale everywhere
};

struct SpeedRow {
  std::string shape;
  std::int64_t calls = 0;
  double reference_s = 0.0, candidate_s = 0.0;  ///< medians of single checked calls by the judge's clock; 0: none
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
  std::string truth;  ///< what decided about values: "oracle rmsnorm" or "reference"
  std::vector<SpeedRow> speed;
  std::vector<std::string> not_covered;
  std::vector<Hint> hints;  ///< of the candidate
};

}  // namespace assay
