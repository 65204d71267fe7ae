#pragma once
#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

#include "protocol/record.h"

namespace assay::worker {

/// Makes scheduling rough for as long as it lives: threads that were lucky to run side by side, or one after the other,
/// no longer are. Takes everything back.
class StressGuard {
 public:
  explicit StressGuard(protocol::Stress stress);
  ~StressGuard();
  StressGuard(const StressGuard&) = delete;
  StressGuard& operator=(const StressGuard&) = delete;

 private:
  void crowd(int threads);
  void cramp();
  cpu_set_t before_{};
  bool cramped_ = false;
  std::atomic<bool> over_{false};
  std::vector<std::thread> crowd_;
};

}  // namespace assay::worker
