#include "roi/money.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "roi/valid.h"

namespace assay::roi {
namespace {

constexpr double kMillion = 1e6;
constexpr double kHoursPerDay = 24.0;

/// A factor that must be there because another one is.
double needed(std::string_view what, const std::optional<double>& value, std::string_view because) {
  if (!value) fail("'" + std::string(because) + "' needs '" + std::string(what) + "' beside it");
  check_not_negative(what, *value);
  return *value;
}

double given(std::string_view what, const std::optional<double>& value) {
  if (value) check_not_negative(what, *value);
  return value.value_or(0.0);
}

void add(CampaignCost& cost, std::string what, double usd) {
  cost.lines.push_back({std::move(what), usd});
}

void add_search(CampaignCost& cost, const RoiSpec& spec) {
  if (!spec.search_hours) {
    if (spec.search_usd_per_hour) needed("search_hours", spec.search_hours, "search_usd_per_hour");
    if (spec.discount) needed("search_hours", spec.search_hours, "discount");
    return cost.left_out.push_back("accelerator hours of the search");
  }
  check_not_negative("search_hours", *spec.search_hours);
  const double price = needed("search_usd_per_hour", spec.search_usd_per_hour, "search_hours");
  const double usd = *spec.search_hours * price;
  add(cost, number_text(*spec.search_hours) + " h of search at " + number_text(price) + " USD/h", usd);
  if (!spec.discount) return;
  check_share("discount", *spec.discount);
  add(cost, "discount of " + percent_text(*spec.discount) + " on the search", -usd * *spec.discount);
}

void add_tokens(CampaignCost& cost, const RoiSpec& spec) {
  if (!spec.tokens && !spec.usd_per_million) return;
  if (!spec.tokens || !spec.usd_per_million) fail("'tokens' and 'usd_per_million' need each other");
  struct Row {
    std::string_view name;
    double TokenCost::*field;
  };
  constexpr std::array<Row, 4> kRows{{{"input", &TokenCost::input},
                                      {"output", &TokenCost::output},
                                      {"cache-read", &TokenCost::cache_read},
                                      {"cache-written", &TokenCost::cache_write}}};
  for (const Row& row : kRows) {
    const double count = *spec.tokens.*row.field, price = *spec.usd_per_million.*row.field;
    check_not_negative("number of " + std::string(row.name) + " tokens", count);
    check_not_negative("price of " + std::string(row.name) + " tokens", price);
    if (count > 0.0) add(cost, number_text(count) + " " + std::string(row.name) + " tokens", count * price / kMillion);
  }
}

void add_lines(CampaignCost& cost, const RoiSpec& spec) {
  add_search(cost, spec);
  if (spec.plan_usd) add(cost, "plan", given("plan_usd", spec.plan_usd));
  add_tokens(cost, spec);
  if (!spec.plan_usd && !spec.tokens) cost.left_out.push_back("model tokens or plan");
}

double sum_of(const std::vector<CostLine>& lines) {
  double usd = 0.0;
  for (const CostLine& line : lines) usd += line.usd;
  return usd;
}

}  // namespace

CampaignCost campaign_cost(const RoiSpec& spec) {
  CampaignCost cost;
  if (spec.campaign_cost_usd) {
    if (spec.search_hours || spec.plan_usd || spec.tokens) {
      fail("the campaign's cost is given twice: leave out 'campaign_cost_usd' or its lines");
    }
    add(cost, "campaign", given("campaign_cost_usd", spec.campaign_cost_usd));
  } else {
    add_lines(cost, spec);
  }
  if (spec.engineer_usd)
    add(cost, "engineers", given("engineer_usd", spec.engineer_usd));
  else
    cost.left_out.push_back("engineers' time");
  if (!spec.maintenance_usd_per_month) cost.left_out.push_back("upkeep of another kernel");
  cost.left_out.push_back("the audit itself");
  const double credit = given("credit_usd", spec.credit_usd);
  if (cost.lines.empty()) return cost;
  if (credit > 0.0) add(cost, "credit", -std::min(credit, sum_of(cost.lines)));
  cost.usd = sum_of(cost.lines);
  return cost;
}

Terms terms_of(const RoiSpec& spec) {
  Terms terms;
  if (spec.accelerator_usd_per_hour) check_not_negative("accelerator_usd_per_hour", *spec.accelerator_usd_per_hour);
  terms.usd_per_hour = spec.accelerator_usd_per_hour;
  struct Row {
    std::string_view name;
    const std::optional<double> RoiSpec::*from;
    double Terms::*to;
    void (*check)(std::string_view, double);
    std::string_view assumed;  ///< empty: nothing to say where it is left out
  };
  constexpr std::array<Row, 5> kRows{{
      {"hours_per_month", &RoiSpec::hours_per_month, &Terms::hours_per_month, check_positive,
       "720 h a month (30 days of 24 h)"},
      {"accelerators", &RoiSpec::accelerators, &Terms::accelerators, check_positive, "one accelerator"},
      {"capture", &RoiSpec::capture, &Terms::capture, check_share, "all of the saved time becomes money (capture = 1)"},
      {"horizon_months", &RoiSpec::horizon_months, &Terms::horizon_months, check_positive, "a horizon of 12 months"},
      {"maintenance_usd_per_month", &RoiSpec::maintenance_usd_per_month, &Terms::maintenance_usd_per_month,
       check_not_negative, ""},
  }};
  for (const Row& row : kRows) {
    const std::optional<double>& value = spec.*row.from;
    if (value) {
      row.check(row.name, *value);
      terms.*row.to = *value;
    } else if (!row.assumed.empty()) {
      terms.assumptions.emplace_back(row.assumed);
    }
  }
  return terms;
}

std::optional<double> Terms::usd_per_month_of_all() const {
  if (!usd_per_hour || capture == 0.0) return std::nullopt;
  return accelerators * hours_per_month * *usd_per_hour * capture;
}

std::optional<double> saving_per_month(const Terms& terms, double saved) {
  const std::optional<double> all = terms.usd_per_month_of_all();
  if (!all) return std::nullopt;
  return *all * saved;
}

double payback_days(const Terms& terms, double cost_usd, double saving_usd_per_month) {
  check_not_negative("cost of the campaign", cost_usd);
  const double gain = saving_usd_per_month - terms.maintenance_usd_per_month;
  if (!(gain > 0.0)) return std::numeric_limits<double>::infinity();
  return cost_usd / gain * (terms.hours_per_month / kHoursPerDay);
}

std::optional<double> needed_saving(const Terms& terms, double cost_usd) {
  check_not_negative("cost of the campaign", cost_usd);
  const std::optional<double> all = terms.usd_per_month_of_all();
  if (!all) return std::nullopt;
  const double cost = cost_usd + terms.maintenance_usd_per_month * terms.horizon_months;
  if (*all == 0.0) return std::numeric_limits<double>::infinity();
  return cost / (*all * terms.horizon_months);
}

double net_over_horizon(const Terms& terms, double cost_usd, double saving_usd_per_month) {
  return (saving_usd_per_month - terms.maintenance_usd_per_month) * terms.horizon_months - cost_usd;
}

}  // namespace assay::roi
