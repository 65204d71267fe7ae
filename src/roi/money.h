#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/contract.h"

/// Money and days (ROI.md, "Formulas"). All prices are inputs: there is no price, plan or rate in this program.
namespace assay::roi {

struct CostLine {
  std::string what;
  double usd = 0.0;  ///< negative: taken off
};

/// What a campaign costs, and of which lines.
struct CampaignCost {
  std::optional<double> usd;  ///< nothing: no line is given
  std::vector<CostLine> lines;
  std::vector<std::string> left_out;  ///< what nobody put a price on
};

/// The sum `campaign_cost_usd`, or search hours x price less discount, plan and tokens; engineers come on top, credit
/// comes off, never below zero. Throws on negative or missing factors.
CampaignCost campaign_cost(const RoiSpec& spec);

/// What turns saved time into money, defaults filled in.
struct Terms {
  std::optional<double> usd_per_hour;  ///< nothing: saved time can't be priced
  double hours_per_month = 720.0;
  double accelerators = 1.0;
  double capture = 1.0;  ///< share of saved time that becomes money
  double horizon_months = 12.0;
  double maintenance_usd_per_month = 0.0;
  std::vector<std::string> assumptions;  ///< which of these nobody said

  /// N H P c: USD a month for a saved fraction of 1. Nothing without a price or with capture 0.
  std::optional<double> usd_per_month_of_all() const;
};

/// Throws assay::Error (exit 2) on a negative price, zero hours or accelerators, shares outside [0, 1].
Terms terms_of(const RoiSpec& spec);

/// saving per month = N H P D c.
std::optional<double> saving_per_month(const Terms& terms, double saved);

/// C / (saving - maintenance) x H/24 days, so 720 h are 30 days; infinite if it never pays.
double payback_days(const Terms& terms, double cost_usd, double saving_usd_per_month);

/// The saved fraction that pays a campaign and the upkeep over the horizon: (C + M maintenance) / (N H M P c).
/// Infinite where nothing can pay (price or capture 0); nothing without a price.
std::optional<double> needed_saving(const Terms& terms, double cost_usd);

/// (saving - maintenance) x months - C.
double net_over_horizon(const Terms& terms, double cost_usd, double saving_usd_per_month);

}  // namespace assay::roi
