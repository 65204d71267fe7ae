#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include "judge/worker.h"

namespace assay {

/// How much of a subject that ends, hangs or refuses an audit puts up with, and how long it may take: more of the same
/// proves nothing new.
class Patience {
 public:
  explicit Patience(double seconds)
      : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}

  void ended(const Ended& end) { ++(end.kind == EndKind::deadline ? hangs_ : ends_); }
  void refused() { ++refusals_; }

  bool exhausted() const { return hangs_ >= kHangs || ends_ >= kEnds || refusals_ >= kRefusals || late(); }
  /// Another call would cost a deadline, or there is no time for it: not even findings are looked into.
  bool spent() const { return hangs_ >= kHangs || late(); }
  bool late() const { return Clock::now() > end_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kHangs = 2;  ///< each costs a whole deadline
  static constexpr int kEnds = 4;
  static constexpr int kRefusals = 16;

  Clock::time_point end_;
  int hangs_ = 0, ends_ = 0, refusals_ = 0;
};

}  // namespace assay
