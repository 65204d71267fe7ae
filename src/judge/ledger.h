#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/call.h"
#include "core/report.h"

namespace assay {

/// Counts, errors and times of an audit, as they come in. Becomes the tables of the report.
class Ledger {
 public:
  /// A call of the candidate was judged: on behalf of which check, over how many elements and guarded bytes.
  void called(const Script& script, const Counts& counts, double seconds);
  /// The same call did the work of another check's too.
  void served(const std::string& check, const Counts& counts) { by_check_[check] += counts; }
  /// One output's errors, of candidate or reference, to be merged over all calls.
  void errors(const NumericsRow& row);
  /// One call's wall time by the judge's clock.
  void timed(const std::string& subject, const std::string& shape, std::int64_t wall_ns);
  void session(Lifetime lifetime, std::int64_t calls);
  /// Whether the outputs of a call at this shape, with at least one element, were right.
  void outcome(const std::string& shape, bool right);
  /// This shape never came out right, and some other shape never came out wrong.
  bool other_shapes_are_right(const std::string& shape) const;

  const Counts& total() const { return total_; }
  Counts counts_of(const std::string& check) const;
  double seconds_of(const std::string& check) const;
  std::vector<NumericsRow> numerics() const;
  std::vector<SpeedRow> speed(const Contract& contract) const;
  std::int64_t calls_under(Lifetime lifetime) const;

 private:
  Counts total_;
  std::map<std::string, Counts> by_check_;
  std::map<std::string, double> seconds_;
  std::map<std::pair<std::string, std::string>, NumericsRow> errors_;
  std::map<std::string, std::map<std::string, std::vector<std::int64_t>>> times_;  ///< shape → subject → ns
  std::map<Lifetime, std::int64_t> sessions_;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> outcomes_;  ///< shape → right, wrong
};

}  // namespace assay
