#pragma once
#include <functional>

#include "judge/runner.h"
#include "judge/shrink.h"

namespace assay {

/// Finds out which calls a finding needs, by running fewer of them in fresh workers.
///
/// Theory of operation. A wrong result can have three kinds of causes. If the failing call is wrong all by itself,
/// nothing that came before matters. Where a check chose the values or places of that call and the same call with
/// drawn values at home is right, that choice is the cause, and the finding stays the check's. Else it belongs to its
/// witness (error, classes), or to `shapes` where other shapes come out right. If it takes the other calls of its
/// script, the script's check has shown what it was made for. If it takes more than that, the state came from somewhere
/// earlier: where other findings are explained, this one is dropped as a consequence; else it stays and says so. A
/// crash is tried with writable inputs, which tells a write to an input from one beside the tensors. What reproduces
/// alone is made small: fewer calls, smaller sizes.
class Attribution {
 public:
  /// Cases are made smaller in at most `shrink_trials` runs, all findings together: a number, not a time, so that the
  /// same seed gives the same report.
  Attribution(Bench& bench, std::function<StreamKey()> next_secret, int shrink_trials)
      : bench_(bench), next_secret_(std::move(next_secret)), shrink_trials_(shrink_trials) {}

  void settle(Findings& findings);

 private:
  void look_into(Findings& findings, Severity severity, int most);
  void attribute(Findings::Group& group);
  void tell_input_write(Findings::Group& group);
  void make_small(Findings::Group& group, FailingCase from);
  bool takes_the_choice(const Findings::Group& group);
  std::optional<Observation> objection(const Findings::Group& group, const Script& script);

  Bench& bench_;
  std::function<StreamKey()> next_secret_;
  int shrink_trials_;
};

}  // namespace assay
