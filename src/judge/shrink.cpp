#include "judge/shrink.h"

#include <algorithm>

#include "core/arguments.h"
#include "core/shape_family.h"

/// Theory of operation. A small case is one that a person can follow: greedily, one call after the other is left out,
/// then one tensor after the other keeps its values from call to call (a single one that has to change is the suspect),
/// then one axis after the other is made smaller (a shape family proposes the sizes, smallest first), and whatever
/// still fails is kept. A case that fails only now and then would be lost if one good run counted as innocence: every
/// step is tried twice before it is given up.
namespace assay {
namespace {

constexpr int kTries = 2;

class Shrinking {
 public:
  Shrinking(const Contract& contract, const Entry& entry, FailingCase& best, std::vector<ConcreteShape>& shapes,
            const Trial& trial, const std::function<bool()>& may_go_on)
      : contract_(contract), entry_(entry), best_(best), shapes_(shapes), trial_(trial), may_go_on_(may_go_on) {}

  void run() {
    drop_calls();
    for (std::size_t t = 0; t < contract_.tensors.size(); ++t) keep_values(t);
    name_suspect();
    while (may_go_on_() && smaller_shape()) {
    }
  }

 private:
  bool keep_if_it_fails(Script script, std::size_t call) {
    for (int i = 0; i < kTries && may_go_on_(); ++i) {
      std::optional<Observation> seen = trial_(script);
      if (!seen) continue;
      best_ = {std::move(script), call, std::move(*seen)};
      return true;
    }
    return false;
  }

  bool in_relation(std::size_t call) const {
    return std::any_of(best_.script.relations.begin(), best_.script.relations.end(),
                       [&](const Relation& r) { return r.first == call || r.second == call; });
  }

  void drop_calls() {
    // The last call first: those behind the failing one are seldom needed.
    for (std::size_t i = best_.script.calls.size(); i-- > 0 && may_go_on_();) {
      if (i == best_.call || in_relation(i)) continue;
      Script script = best_.script;
      script.calls.erase(script.calls.begin() + static_cast<std::ptrdiff_t>(i));
      for (Relation& relation : script.relations) {
        if (relation.first > i) --relation.first;
        if (relation.second > i) --relation.second;
      }
      keep_if_it_fails(std::move(script), best_.call - (best_.call > i ? 1 : 0));
    }
  }

  /// The tensor's values of the first call of a shape are those of all that follow.
  void keep_values(std::size_t tensor) {
    Script script = best_.script;
    for (std::size_t i = 1; i < script.calls.size(); ++i) {
      if (script.calls[i].axes == script.calls[i - 1].axes) {
        script.calls[i].values[tensor] = script.calls[i - 1].values[tensor];
      }
    }
    if (may_go_on_() && changes(tensor)) keep_if_it_fails(std::move(script), best_.call);
  }

  bool changes(std::size_t tensor) const {
    const std::vector<CallPlan>& calls = best_.script.calls;
    return std::adjacent_find(calls.begin(), calls.end(), [&](const CallPlan& a, const CallPlan& b) {
             return a.axes == b.axes && a.values[tensor] != b.values[tensor];
           }) != calls.end();
  }

  void name_suspect() {
    std::vector<std::size_t> changing;
    for (std::size_t t = 0; t < contract_.tensors.size(); ++t) {
      if (changes(t)) changing.push_back(t);
    }
    if (changing.size() != 1 || !may_go_on_() || !best_.script.suspect.empty()) return;
    best_.script.suspect = contract_.tensors[changing.front()].name;
    best_.script.story += ", and it takes new values of " + best_.script.suspect;
  }

  bool smaller_shape() {
    const AxisValues now = best_.script.calls.at(best_.call).axes;
    for (const ShapeFamily& family : Registry<ShapeFamily>::all()) {
      if (!family.smaller) continue;
      for (const AxisValues& axes : family.smaller(contract_, now)) {
        if (!may_go_on_()) return false;
        if (!callable(axes)) continue;
        Script script = best_.script;
        for (CallPlan& call : script.calls) {
          if (call.axes == now) call.axes = axes;
        }
        if (keep_if_it_fails(std::move(script), best_.call)) return true;
      }
    }
    return false;
  }

  bool callable(const AxisValues& axes) {
    if (!unfit_argument(contract_, entry_, axes).empty()) return false;
    auto shape = concretise(contract_, axes);
    if (!std::holds_alternative<ConcreteShape>(shape)) return false;
    const bool known =
        std::any_of(shapes_.begin(), shapes_.end(), [&](const ConcreteShape& s) { return s.axes == axes; });
    if (!known) shapes_.push_back(std::get<ConcreteShape>(std::move(shape)));
    return true;
  }

  const Contract& contract_;
  const Entry& entry_;
  FailingCase& best_;
  std::vector<ConcreteShape>& shapes_;
  const Trial& trial_;
  const std::function<bool()>& may_go_on_;
};

}  // namespace

FailingCase shrink(const Contract& contract, const Entry& entry, FailingCase from, std::vector<ConcreteShape>& shapes,
                   const Trial& trial, const std::function<bool()>& may_go_on) {
  FailingCase best = std::move(from);
  Shrinking(contract, entry, best, shapes, trial, may_go_on).run();
  return best;
}

}  // namespace assay
