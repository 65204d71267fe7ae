#pragma once
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/oracle.h"
#include "judge/session.h"
#include "judge/subject.h"

namespace assay {

/// What is right for one call, and what today's kernel makes of it.
struct CallTruth {
  std::vector<std::optional<Truth>> outputs;  ///< by tensor; empty for tensors that are no outputs
  /// Measures the properties of outputs that aren't unique, given by tensor; empty where the oracle has none.
  std::function<std::vector<Property>(const std::vector<Bytes>&)> examine;
  std::vector<Bytes> reference;  ///< by tensor: the reference's outputs; empty where it has none
  std::optional<std::int64_t> reference_wall_ns;
  std::string reference_problem;  ///< why the reference gave no answer; empty if it did or there is none
};

/// Where truths come from: the contract's oracle, else the frozen reference with a tolerance from its own sensitivity.
///
/// Theory of operation. Both are asked once per distinct call (axes, values, scalars) and remembered, since many calls
/// repeat values at other places. The reference runs in a worker of its own, with its own memory, so that nothing of
/// the candidate can reach it. Without an oracle its outputs are the truth, and how far they move when every float
/// input moves by one unit in the last place is the scale of what may differ.
class TruthSource {
 public:
  TruthSource(const Contract& contract, const AuditSubject* reference, Values& values,
              const std::vector<ConcreteShape>& shapes, const StreamKey& secret);

  const CallTruth& of(const ConcreteShape& shape, const CallPlan& plan);
  /// The oracle's word alone, not remembered. There must be one.
  CallTruth by_oracle(const ConcreteShape& shape, const CallPlan& plan);
  /// "oracle rmsnorm" or "reference".
  std::string name() const;
  /// By the contract's [cost], else by the oracle; zeros where neither says.
  Cost cost(const ConcreteShape& shape, const CallPlan& plan);
  /// Why the reference can't be used at all; empty if it can or there is none.
  const std::string& reference_failure() const { return reference_failure_; }

 private:
  struct Entry {
    AxisValues axes;
    std::vector<TensorPlan> values;
    std::vector<std::size_t> params;
    CallTruth truth;
  };

  /// The oracle's call with what its views point to.
  struct Asked {
    OracleCall call;
    std::vector<std::shared_ptr<const Bytes>> alive;
    std::map<std::string, std::size_t, std::less<>> tensor_of;
  };

  CallTruth make(const ConcreteShape& shape, const CallPlan& plan);
  Asked bound_call(const ConcreteShape& shape, const CallPlan& plan);
  std::vector<Property> examine(const ConcreteShape& shape, const Asked& asked,
                                const std::vector<Bytes>& outputs) const;
  [[noreturn]] void no_truth(const ConcreteShape& shape, const std::string& why) const;
  void ask_oracle(const ConcreteShape& shape, const CallPlan& plan, CallTruth& truth);
  void ask_reference(const ConcreteShape& shape, const CallPlan& plan, CallTruth& truth);
  void derive_from_reference(const ConcreteShape& shape, const CallPlan& plan, CallTruth& truth);
  std::optional<CallFacts> run_reference(const ConcreteShape& shape, const CallPlan& plan, std::string& problem);
  void start_reference();

  const Contract& contract_;
  const AuditSubject* reference_;
  Values& values_;
  const std::vector<ConcreteShape>& shapes_;
  StreamKey secret_;
  const Oracle* oracle_ = nullptr;
  std::unique_ptr<Session> session_;
  int starts_ = 0;
  std::string reference_failure_;
  std::list<Entry> kept_;  ///< most recent first
};

}  // namespace assay
