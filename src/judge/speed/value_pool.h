#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "judge/observe.h"
#include "judge/speed/slot_set.h"
#include "judge/truth.h"
#include "judge/values.h"

namespace assay {

/// Calls of one shape whose values no subject has met before in its process.
///
/// Theory of operation. Subjects share nothing, so the same values serve every one of them: a call that was judged once
/// is judged by its bits from then on, because outputs that were right are right again. Only outputs that nobody has
/// given before go to the oracle, so that a checked burst costs little more than copying.
class ValuePool {
 public:
  ValuePool(const Contract& contract, const Entry& entry, const ConcreteShape& shape, Values& values,
            TruthSource& truths, std::uint64_t key, std::uint64_t most_bytes);

  /// Inputs of call `index`, by buffer. Beyond `distinct()` calls they repeat.
  const std::vector<std::shared_ptr<const Bytes>>& inputs(std::size_t index);
  std::size_t distinct() const { return distinct_; }
  /// Values for slots that are prepared and not called.
  const std::vector<std::shared_ptr<const Bytes>>& decoy(std::size_t index);
  /// The scalars of all calls of one process.
  CallPlan plan(std::size_t index, const std::vector<std::size_t>& params);
  /// Whether these outputs of the call have been judged right before.
  bool known(std::size_t index, const std::vector<std::size_t>& params, const OutputDigest& digest);
  /// What the witnesses object to; outputs that nothing is wrong with are known from then on.
  std::vector<Observation> judge(std::size_t index, const std::vector<std::size_t>& params, const CallFacts& facts,
                                 const OutputDigest& digest);
  /// Output elements of one call.
  std::int64_t elements() const { return elements_; }

 private:
  struct Call {
    CallPlan plan;
    std::vector<std::shared_ptr<const Bytes>> inputs;
    std::map<std::vector<std::size_t>, std::vector<OutputDigest>> right;  ///< digests of outputs, by params
  };
  Call make();
  void make_probe(CallPlan& plan);
  std::uint64_t draw_of(std::size_t tensor);
  Call& call(std::size_t index);

  const Contract& contract_;
  const Entry& entry_;
  const ConcreteShape& shape_;
  Values& values_;
  TruthSource& truths_;
  Random random_;
  std::uint64_t first_kind_;  ///< of probe, then one after the other
  std::uint64_t made_ = 0, next_probe_ = 0, probe_ = 0;
  std::vector<Buffer> buffers_;
  std::vector<std::uint64_t> kept_draws_;  ///< of tensors whose values stay
  std::int64_t elements_ = 0;
  std::size_t distinct_ = 1;
  std::vector<Call> calls_, decoys_;
};

}  // namespace assay
