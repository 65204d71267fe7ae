#include "judge/rehearsal.h"

#include <algorithm>

#include "judge/mutants.h"
#include "judge/shape_plan.h"
#include "verdict/published.h"

namespace assay {
namespace {

constexpr int kTrials = 5;
constexpr std::size_t kShapes = 3;
constexpr std::int64_t kMostBytes = 64LL << 20;  // of one trial
constexpr std::int64_t kAllBytes = 512LL << 20;  // of all: no place is used twice

std::vector<const ConcreteShape*> shapes_of(const Bench& bench) {
  std::vector<const ConcreteShape*> chosen;
  for (const bool production : {true, false}) {
    for (const ConcreteShape& shape : bench.shapes) {
      const bool fits = shape.total_bytes() > 0 && shape.total_bytes() <= kMostBytes;
      if (fits && is_production(bench.contract, shape.axes) == production) chosen.push_back(&shape);
    }
    if (!chosen.empty()) break;
  }
  chosen.resize(std::min(chosen.size(), kShapes));
  return chosen;
}

std::string left_out(const Bench& bench) {
  const auto count = std::count_if(bench.shapes.begin(), bench.shapes.end(), [&](const ConcreteShape& shape) {
    return is_production(bench.contract, shape.axes) && shape.total_bytes() > kMostBytes;
  });
  if (count == 0) return {};
  return "what other harnesses would have said: " + std::to_string(count) + " of production's shapes need more than " +
         std::to_string(kMostBytes >> 20) + " MiB a trial";
}

/// New values, and for every tensor a place that `next` has not named before; a static one stays.
CallPlan trial_plan(const Contract& contract, const ConcreteShape& shape, Random& random, Place& next) {
  CallPlan plan;
  plan.axes = shape.axes;
  for (std::size_t t = 0; t < contract.tensors.size(); ++t) {
    plan.values.push_back({contract.tensors[t].is_static ? 1 : random(), {}});
    plan.places.push_back(contract.tensors[t].is_static ? kHome : ++next);
  }
  for (const Param& param : contract.params) plan.params.push_back(random.below(param.values.size()));
  return plan;
}

class Rehearsal {
 public:
  Rehearsal(Bench& bench, const StreamKey& secret)
      : bench_(bench), random_(secret.stream[0]), accepted_(published_rules().size(), 0) {
    options_.lifetime = Lifetime::serving;
    options_.decoys = false;
    options_.deadline_s = bench.deadline_s;
    options_.secret = secret;
  }

  std::vector<ElsewhereRow> run() {
    for (const ConcreteShape* shape : shapes_of(bench_)) {
      for (int i = 0; i < kTrials; ++i) try_once(*shape);
    }
    std::vector<ElsewhereRow> rows;
    for (std::size_t r = 0; trials_ > 0 && r < accepted_.size(); ++r) {
      rows.push_back({std::string(published_rules()[r].name), accepted_[r], trials_});
    }
    return rows;
  }

 private:
  bool session_ready() {
    if (session_ && session_->alive()) return true;
    auto opened = open_session(bench_.contract, bench_.candidate, bench_.values, bench_.shapes, options_);
    session_.reset();
    if (auto* session = std::get_if<std::unique_ptr<Session>>(&opened)) session_ = std::move(*session);
    if (session_) session_->begin_script();  // one for all trials: an address comes once
    return session_ != nullptr;
  }

  void try_once(const ConcreteShape& shape) {
    if (bench_.patience.exhausted() || lent_ + shape.total_bytes() > kAllBytes || !session_ready()) return;
    lent_ += shape.total_bytes();
    const CallPlan plan = trial_plan(bench_.contract, shape, random_, next_);
    const CallFacts facts = session_->perform(shape, plan);
    if (const auto* ended = std::get_if<Ended>(&facts.outcome)) bench_.patience.ended(*ended);
    const CallTruth& truth = bench_.truths.of(shape, plan);
    const bool judged = !truth.examine && (truth.reference_problem.empty() || bench_.contract.oracle);
    if (judged) count(shape, facts, truth);
  }

  void count(const ConcreteShape& shape, const CallFacts& facts, const CallTruth& truth) {
    ++trials_;
    const auto* returned = std::get_if<Returned>(&facts.outcome);
    if (!returned || !means_success(bench_.candidate.entry, returned->value)) return;
    for (std::size_t r = 0; r < accepted_.size(); ++r) {
      accepted_[r] += all_accepted(published_rules()[r], shape, facts, truth) ? 1 : 0;
    }
  }

  bool all_accepted(const PublishedRule& rule, const ConcreteShape& shape, const CallFacts& facts,
                    const CallTruth& truth) const {
    return std::all_of(shape.tensors.begin(), shape.tensors.end(), [&](const ConcreteTensor& tensor) {
      const std::size_t t = tensor.index;
      if (!holds_output(bench_.contract.tensors[t].role) || facts.outputs[t].empty()) return true;
      const DType dtype = bench_.contract.tensors[t].dtype;
      const Bytes actual = packed(bench_.contract, tensor, facts.outputs[t].data());
      Bytes expected;
      if (!truth.reference[t].empty()) expected = packed(bench_.contract, tensor, truth.reference[t].data());
      if (expected.empty() && truth.outputs[t]) expected = rounded(*truth.outputs[t], dtype);
      if (expected.size() != actual.size()) return true;
      const std::vector<std::int64_t> flat{tensor.elements}, step{1};
      const auto view = [&](const Bytes& bytes) {
        return ConstTensorView{dtype, flat, step, tensor.elements, true, bytes.data()};
      };
      return accepts(rule, view(actual), view(expected));
    });
  }

  Bench& bench_;
  Random random_;
  SessionOptions options_;
  std::unique_ptr<Session> session_;
  std::vector<int> accepted_;
  Place next_ = kHome;
  std::int64_t lent_ = 0;
  int trials_ = 0;
};

}  // namespace

Rehearsed rehearse(Bench& bench, const StreamKey& secret) {
  return {Rehearsal(bench, secret).run(), left_out(bench)};
}

}  // namespace assay
