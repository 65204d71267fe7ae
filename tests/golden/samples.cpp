#include "samples.h"

#include <cmath>
#include <limits>

namespace assay::golden {
namespace {

AuditReport base() {
  AuditReport r;
  r.tool = "assay 0.1.0";
  r.run = {.id = "8d1f0c5e",
           .started = "2026-01-02T03:04:05Z",
           .depth = "standard",
           .seed = std::string(64, '7'),
           .device = "cpu",
           .sandbox = "full",
           .folder = "/home/somebody",
           .seconds = 1.25,
           .calls = 41,
           .fused_calls = 7,
           .environment = {{"kernel", "6.1.0"}, {"landlock_abi", "2"}, {"processor", "Example 9000"}}};
  r.contract_name = "rmsnorm";
  r.contract_path = "fixtures/contracts/rmsnorm.toml";
  r.contract_digest = std::string(64, 'c');
  r.subjects = {{"reference", {"libref.so", std::string(64, 'a'), "rmsnorm"}},
                {"candidate", {"libfast.so", std::string(64, 'b'), "rmsnorm"}}};
  r.truth = "oracle rmsnorm";
  r.not_covered = {"originality of the source, and whether a library call is allowed",
                   "defects rarer than the budget: none in 120 random calls bounds their rate by about 2.5 % at 95 %"};
  return r;
}

CheckResult check(std::string id, std::string family, std::string claim, CheckOutcome outcome, std::int64_t calls) {
  CheckResult c;
  c.id = std::move(id);
  c.family = std::move(family);
  c.claim = std::move(claim);
  c.outcome = outcome;
  c.counts = {calls, calls * 4096, calls * 20480};
  c.seconds = 0.25;
  return c;
}

CheckResult fresh_values(CheckOutcome outcome) {
  return check("fresh-values", "A", "New values behind the same pointers give new results.", outcome, 40);
}

CheckResult move_one(CheckOutcome outcome) {
  return check("move-one", "A", "One tensor at a new address is found there, and its old place is left alone.", outcome,
               60);
}

NumericsRow numerics(std::string subject, double max_rho) {
  NumericsRow row;
  row.subject = std::move(subject);
  row.tensor = "y";
  row.elements = 409600;
  row.max_rho = max_rho;
  row.rms_rho = max_rho / 8;
  row.mean_signed_rho = -0.001;
  row.max_abs_error = 2.5e-7;
  row.octaves = {{-2, 307200}, {-1, 100000}, {0, 2000}, {1, 400}};
  row.max_rel_error = 1.0 / 3.0 * 1e-6;
  row.limit = 384;
  row.spent_bits = 1.5;
  return row;
}

/// A shape that production calls most, timed in both regimes.
SpeedRow timed_row() {
  RegimeSpeed cold;
  cold.regime = "cold";
  cold.baseline_s = 12.5e-6;
  cold.candidate_s = 4.25e-6;
  cold.baseline_p99_s = 14e-6;
  cold.candidate_p99_s = 4.75e-6;
  cold.speedup = SpeedInterval{2.94, 2.88, 3.01, 0.984375};
  cold.effect = "faster";
  cold.detectable = 0.011;
  cold.p = 0.03125;
  cold.process_pairs = 7;
  cold.pairs = 140;
  RegimeSpeed hot = cold;
  hot.regime = "hot";
  hot.speedup.reset();
  hot.effect = "inconclusive";
  hot.reason = "a call takes no longer than one of a subject that does nothing";
  hot.p.reset();
  SpeedRow row;
  row.shape = "H=4096 T=1";
  row.calls = 20;
  row.reference_s = 68e-6;
  row.candidate_s = 60e-6;
  row.weight = 0.7;
  row.method = "bursts of 120 calls";
  row.regimes = {cold, hot};
  row.baseline_first_call_s = 80e-6;
  row.candidate_first_call_s = 95e-6;
  row.candidate_single_s = 6e-6;
  row.candidate_told_s = 4.2e-6;
  row.processors = 0.92;
  row.call_bound = true;
  row.standing = SpeedStanding{"call-bound", 3.1e-6, 0.73, 1.37, 11.1e9, 4.8e9, true};
  row.notes = {"its times fall into two groups (E20): 20 % of the bursts take 1.40 times the others"};
  return row;
}

SpeedRow single_row() {
  SpeedRow row;
  row.shape = "H=4096 T=4096";
  row.calls = 20;
  row.reference_s = 0.0185;
  row.weight = 0.3;
  row.notes = {"not timed: it would take 31 s, more than this depth allows; a deeper audit times it"};
  return row;
}

AuditReport pass() {
  AuditReport r = base();
  r.verdict = Verdict::pass;
  r.reasons = {"all 2 checks passed in 100 calls, 409600 elements compared"};
  r.checks = {fresh_values(CheckOutcome::pass), move_one(CheckOutcome::pass)};
  r.lifetimes = {{"fixed-address", {true, CheckOutcome::pass, 40}},
                 {"reused-buffers", {true, CheckOutcome::pass, 80}},
                 {"serving", {true, CheckOutcome::pass, 100}}};
  r.numerics = {numerics("candidate", 2.75), numerics("reference", 3.9)};
  r.adequacy.shape = "H=4096 T=1";
  r.elsewhere = {{"KernelBench", 15, 15}, {"SOL-ExecBench", 14, 15}};
  r.adequacy.groups = {{"null model", 5, 5, {}}, {"wrong input", 6, 5, {{"y: other values of eps", 3.2e-8}}}};
  r.speed.shapes = {timed_row(), single_row()};
  r.speed.mix = r.speed.shapes.front().regimes.front();
  r.speed.control = SpeedInterval{1.001, 0.996, 1.007, 0.96875};
  r.speed.fit = true;
  r.speed.delta = 0.02;
  r.speed.baseline_load_s = 0.004;
  r.speed.candidate_load_s = 0.0052;
  r.speed.empty_call_s = 55e-6;
  r.speed.peaks = SpeedPeaks{11.5e9, 96e9, 48e9, "avx512f"};
  r.speed.disturbances = {"the host took 4.1 % of the processor time; use a machine of its own"};
  return r;
}

Finding stale_offsets() {
  Finding f;
  f.id = "f1";
  f.check = "move-one";
  f.witness = "error";
  f.threat = "A6";
  f.message = "y[3, 17]: expected 0.73125, got -1.5 (first of 4096 wrong elements) after x moved to a new address";
  f.advice = "compare every pointer that a cached plan holds, or hold none";
  f.shape = "H=4096 T=1";
  f.call = "2 of 2: x moves, the other tensors stay";
  f.lifetime = Lifetime::reused_buffers;
  f.occurrences = 12;
  f.evidence = {{"expected", 0.73125},        {"got", -1.5},    {"rho", 1.25e7}, {"wrong_elements", std::int64_t{4096}},
                {"tensor", std::string("x")}, {"repeats", true}};
  f.replay = "assay replay report.json f1";
  return f;
}

Finding resident_growth() {
  Finding f;
  f.id = "f2";
  f.check = "residue";
  f.witness = "residue";
  f.threat = "F3";
  f.severity = Severity::note;
  f.subject = "reference";
  f.message = "holds 65536 bytes more after each of 40 calls";
  f.advice = "release per call what is taken per call";
  f.evidence = {{"growth_bytes", std::int64_t{65536}}};
  f.replay = "assay replay report.json f2";
  return f;
}

AuditReport fail() {
  AuditReport r = base();
  r.verdict = Verdict::fail;
  r.reasons = {"move-one: y[3, 17] is wrong after x moved (f1)"};
  r.checks = {fresh_values(CheckOutcome::pass), move_one(CheckOutcome::finding)};
  r.checks[1].findings = {"f1"};
  r.findings = {resident_growth(), stale_offsets()};
  r.lifetimes = {{"fixed-address", {true, CheckOutcome::pass, 40}}, {"serving", {true, CheckOutcome::finding, 100}}};
  r.numerics = {numerics("candidate", std::numeric_limits<double>::infinity())};
  r.numerics[0].mean_signed_rho = std::nan("");
  return r;
}

AuditReport inconclusive() {
  AuditReport r = base();
  r.verdict = Verdict::inconclusive;
  r.adequacy.shape = "H=4096 T=1";
  r.adequacy.groups = {{"null model", 5, 4, {{"y: zeros", 1.0}}}};
  r.adequacy.inadequate = {"a result that computes nothing passes (y: zeros, off by 100 % of the result)"};
  r.adequacy.proposals = {"numerics.policy = \"calibrated\" tells 1 of 1 surviving mutants from the right result"};
  r.reasons = {"nothing was checked: no shape of the contract fits into the memory of this machine"};
  r.checks = {move_one(CheckOutcome::inconclusive)};
  r.checks[0].counts = {};
  r.checks[0].reason = "no shape fits";
  r.truth = "";
  return r;
}

AuditReport error() {
  AuditReport r = base();
  r.verdict = Verdict::error;
  r.reasons = {"the sandbox is weak: user namespaces are not allowed; add --accept-weak-sandbox to audit all the same"};
  r.run.sandbox = "weak";
  r.subjects.clear();
  r.not_covered.clear();
  return r;
}

/// Terminal control, markup, a log command, reordering marks, broken UTF-8, a NUL: all from a subject's name or words.
AuditReport hostile() {
  AuditReport r = fail();
  r.subjects["candidate"].path = std::string("/tmp/\x1b[2J\x1b[1;32mPASS\x1b[0m\r\n::error::x\0.so", 36);
  r.subjects["candidate"].symbol = "</testcase>&\"'<script>";
  r.findings[1].message =
      "said \xff\xfe\xc3\x28 \xe2\x80\xae"
      "evil\xc2\x9b"
      "31m \xed\xa0\x80 and `rm -rf` | ]]> *done*\n- ok";
  r.findings[1].evidence["got"] = std::numeric_limits<double>::quiet_NaN();
  r.findings[1].evidence["text"] = std::string("\t\xf0\x9f\x98\x80\x7f");
  return r;
}

}  // namespace

std::vector<Sample> samples() {
  return {
      {"pass", pass()}, {"fail", fail()}, {"inconclusive", inconclusive()}, {"error", error()}, {"hostile", hostile()}};
}

}  // namespace assay::golden
