#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/roi_result.h"
#include "roi/money.h"
#include "roi/monte_carlo.h"

namespace assay::roi {

/// All that a result follows from.
struct Inputs {
  std::vector<KernelInput> kernels;
  RoiSpec money;                ///< prices, hours and costs; its hot_fraction is not looked at
  bool audited = true;          ///< false: the speed-ups are only somebody's word
  bool verdict_failed = false;  ///< the candidate broke the contract: nothing is credited
  double dispatch_share = 0.0;  ///< of wall time, for choosing between candidate and fallback
  std::optional<double> claimed_speedup;
  std::optional<double> setup_s;  ///< load, first call and search, once per process
  std::optional<double> call_s;   ///< a call today, for the calls that pay set-up back
  std::optional<double> e2e_cv;   ///< coefficient of variation of end-to-end runs
  std::int64_t e2e_runs = 5;      ///< of each side
  bool share_is_ceiling = false;  ///< the share is of device time: wall time is not known
  std::string source;
  std::vector<std::string> notes;  ///< appended to the assumptions
  std::string prices_as_of;        ///< a date; empty: said so
  std::int64_t draws = 100'000;
};

/// A kernel of which only a share and a speed-up are known.
KernelInput single_kernel(std::string name, Quantiles share, Quantiles speedup);

/// What the win is worth. Throws assay::Error (exit 2) with what is wrong with the inputs. Sets `gate` to deploy,
/// do_not_deploy or, without a limit on payback or across it, none.
RoiResult assess(const Inputs& inputs);

/// End to end against the kernel at fixed share, on a logarithmic axis that holds `speedup`.
std::vector<RoiPoint> curve_of(double share, double speedup);

}  // namespace assay::roi
