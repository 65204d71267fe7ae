#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "core/progress.h"
#include "judge/call_plan.h"
#include "judge/findings.h"
#include "judge/ledger.h"
#include "judge/observe.h"
#include "judge/patience.h"
#include "judge/residue_watch.h"

namespace assay {

/// What the runs of an audit share.
struct Bench {
  const Contract& contract;
  const AuditSubject& candidate;
  std::vector<ConcreteShape>& shapes;  ///< what scripts may call; shrinking adds to it
  Values& values;
  TruthSource& truths;
  Ledger& ledger;
  Findings& findings;
  Patience& patience;
  Progress* progress = nullptr;  ///< may be null
  std::uint64_t decoy_limit_bytes = 0;
  double deadline_s = 10.0;
};

/// Runs scripts against the candidate in workers of its own and files what the witnesses say.
class Runner {
 public:
  Runner(Bench& bench, Lifetime lifetime, bool required, const StreamKey& secret);

  /// All scripts in order. A worker that ends is replaced, a few times; then the rest is given up. How many scripts
  /// were given up.
  std::size_t run(const std::vector<Script>& scripts);
  /// What the witnesses say of one script in a fresh worker; nothing is filed. `writable_inputs`: inputs are lent
  /// writable, so that a write to one shows as a change instead of as a fault.
  std::vector<Observation> alone(const Script& script, bool writable_inputs = false);

 private:
  bool ensure_session();
  void run_script(const Script& script);
  void run_calls(const Script& script);
  /// Makes the call, and the one beside it if there is one. How many were made.
  std::size_t make(const Script& script, std::size_t call);
  void run_disguised(const Script& script);
  void open_apart(sandbox::Surroundings surroundings);
  void judge_and_file(const Script& script, std::size_t call, const CallFacts& facts, bool on_its_own);
  void look_for_traces(const ConcreteShape& shape, const CallPlan& plan, const CallFacts& facts, const CallTruth& truth,
                       Judged& judged);
  void file_residue(const Script& script, std::size_t call, const CallFacts& facts, bool on_its_own);
  void count(const Script& script, const CallPlan& plan, const Judged& judged, const CallFacts& facts);
  void check_relations(const Script& script);
  std::vector<Observation> broken(const Script& script, const Relation& relation);
  void file(Observation observation, const Script* script, std::size_t call);
  const ConcreteShape& shape_of(const CallPlan& plan) const;
  void finish_session();

  Bench& bench_;
  Lifetime lifetime_;
  bool required_;
  StreamKey secret_;
  Random random_;
  std::uint64_t sessions_ = 0;
  std::unique_ptr<Session> session_;
  std::optional<ResidueWatch> watch_;
  int deaths_ = 0;
  sandbox::Surroundings surroundings_ = sandbox::Surroundings::usual;
  std::vector<Reading> readings_;  ///< of the soaking script at hand
  std::int64_t made_ = 0;          ///< calls of the script at hand, repeats included
  bool filing_ = true;
  bool writable_inputs_ = false;
  std::vector<Observation> unfiled_;
  std::vector<std::optional<std::vector<Bytes>>>
      answers_;  ///< of the script at hand; none where a call was wrong by itself
  int lingers_ = 0;
  bool named_ = false;  ///< what errors look like has been said once
};

/// Starts a worker and loads its subject. The failure is the subject's.
std::variant<std::unique_ptr<Session>, LoadFailure> open_session(const Contract& contract, const AuditSubject& subject,
                                                                 Values& values,
                                                                 const std::vector<ConcreteShape>& shapes,
                                                                 const SessionOptions& options);

}  // namespace assay
