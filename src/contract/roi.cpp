#include "contract/sections.h"
#include "contract/table.h"

namespace assay::contract {
namespace {

constexpr std::array<Key<Quantiles>, 3> kQuantileKeys{{{"p05", number<&Quantiles::p05, Range::share>, Need::required},
                                                       {"p50", number<&Quantiles::p50, Range::share>, Need::required},
                                                       {"p95", number<&Quantiles::p95, Range::share>, Need::required}}};

/// A share: one number, or its percentiles.
void read_hot_fraction(Reader& reader, const Node& node, RoiSpec& out) {
  Quantiles shares;
  if (node.kind != NodeKind::table) {
    double share = 0.0;
    if (reader.read(node, share) && check_range(reader, node, share, Range::share)) {
      out.hot_fraction = Quantiles{share, share, share};
    }
    return;
  }
  const std::size_t before = reader.error_count();
  read_table(reader, node, kQuantileKeys, shares);
  if (reader.error_count() != before) return;
  if (shares.p05 > shares.p50 || shares.p50 > shares.p95) {
    return reader.fail(node, node.path + ": p05 <= p50 <= p95 does not hold");
  }
  out.hot_fraction = shares;
}

constexpr std::array<Key<TokenCost>, 4> kTokenKeys{
    {{"input", number<&TokenCost::input, Range::not_negative>},
     {"output", number<&TokenCost::output, Range::not_negative>},
     {"cache_read", number<&TokenCost::cache_read, Range::not_negative>},
     {"cache_write", number<&TokenCost::cache_write, Range::not_negative>}}};

template <auto kMember>
void read_tokens(Reader& reader, const Node& node, RoiSpec& out) {
  TokenCost tokens;
  read_table(reader, node, kTokenKeys, tokens);
  out.*kMember = tokens;
}

constexpr std::array<Key<RoiSpec>, 20> kRoiKeys{
    {{"hot_fraction", read_hot_fraction},
     {"accelerator_usd_per_hour", number<&RoiSpec::accelerator_usd_per_hour, Range::not_negative>},
     {"hours_per_month", number<&RoiSpec::hours_per_month, Range::positive>},
     {"accelerators", number<&RoiSpec::accelerators, Range::positive>},
     {"campaign_cost_usd", number<&RoiSpec::campaign_cost_usd, Range::not_negative>},
     {"max_payback_days", number<&RoiSpec::max_payback_days, Range::positive>},
     {"horizon_months", number<&RoiSpec::horizon_months, Range::positive>},
     {"capture", number<&RoiSpec::capture, Range::share>},
     {"attainable_share", number<&RoiSpec::attainable_share, Range::share>},
     {"busy_share", number<&RoiSpec::busy_share, Range::share>},
     {"engineer_usd", number<&RoiSpec::engineer_usd, Range::not_negative>},
     {"maintenance_usd_per_month", number<&RoiSpec::maintenance_usd_per_month, Range::not_negative>},
     {"search_hours", number<&RoiSpec::search_hours, Range::not_negative>},
     {"search_usd_per_hour", number<&RoiSpec::search_usd_per_hour, Range::not_negative>},
     {"plan_usd", number<&RoiSpec::plan_usd, Range::not_negative>},
     {"credit_usd", number<&RoiSpec::credit_usd, Range::not_negative>},
     {"discount", number<&RoiSpec::discount, Range::share>},
     {"tokens", read_tokens<&RoiSpec::tokens>},
     {"usd_per_million", read_tokens<&RoiSpec::usd_per_million>},
     {"replaceable", field<&RoiSpec::replaceable>}}};

/// Two keys of which one means nothing without the other.
void check_together(Reader& reader, const Node& node, std::string_view a, std::string_view b) {
  const Node *first = node.find(a), *second = node.find(b);
  if (!first == !second) return;
  reader.fail(first ? *first : *second, node.path + ": '" + std::string(first ? a : b) + "' needs '" +
                                            std::string(first ? b : a) + "' beside it");
}

/// The cost of the campaign is a sum or lines: both would count twice.
void check_cost_lines(Reader& reader, const Node& node) {
  if (!node.find("campaign_cost_usd")) return;
  for (std::string_view line :
       {"search_hours", "search_usd_per_hour", "plan_usd", "tokens", "usd_per_million", "credit_usd", "discount"}) {
    const Node* value = node.find(line);
    if (value)
      reader.fail(*value, value->path + " is a line of the campaign's cost: leave out it or campaign_cost_usd");
  }
}

void read_metric(Reader& reader, const Node& node, EndToEnd& out) {
  constexpr std::array<Key<MetricPattern>, 2> kPatternKeys{{{"pattern", field<&MetricPattern::pattern>, Need::required},
                                                            {"unit", field<&MetricPattern::unit>, Need::required}}};
  constexpr std::array<Key<MetricJson>, 2> kJsonKeys{
      {{"json", field<&MetricJson::pointer>, Need::required}, {"unit", field<&MetricJson::unit>, Need::required}}};
  if (node.kind == NodeKind::string && node.text == "wall") return;
  if (node.kind == NodeKind::table && node.find("pattern")) {
    MetricPattern metric;
    read_table(reader, node, kPatternKeys, metric);
    out.metric = metric;
  } else if (node.kind == NodeKind::table && node.find("json")) {
    MetricJson metric;
    read_table(reader, node, kJsonKeys, metric);
    out.metric = metric;
  } else {
    reader.fail(node, node.path + " must be \"wall\", { pattern = …, unit = … } or { json = …, unit = … }");
  }
}

void read_swap(Reader& reader, const Node& node, EndToEnd& out) {
  constexpr std::array<Key<SwapEnv>, 1> kEnvKeys{{{"env", field<&SwapEnv::variable>, Need::required}}};
  constexpr std::array<Key<SwapLink>, 1> kLinkKeys{{{"link", field<&SwapLink::path>, Need::required}}};
  if (node.kind == NodeKind::table && node.find("env")) {
    SwapEnv swap;
    read_table(reader, node, kEnvKeys, swap);
    out.swap = swap;
  } else if (node.kind == NodeKind::table && node.find("link")) {
    SwapLink swap;
    read_table(reader, node, kLinkKeys, swap);
    out.swap = swap;
  } else {
    reader.fail(node, node.path + " must be { env = \"NAME\" } or { link = \"path\" }");
  }
}

/// A program and its arguments.
template <auto kMember>
void command(Reader& reader, const Node& node, EndToEnd& out) {
  if (reader.read(node, out.*kMember) && node.items.empty()) reader.fail(node, node.path + " is empty");
}

constexpr std::array<Key<EndToEnd>, 7> kEndToEndKeys{{{"baseline_command", command<&EndToEnd::baseline_command>},
                                                      {"candidate_command", command<&EndToEnd::candidate_command>},
                                                      {"command", command<&EndToEnd::command>},
                                                      {"accuracy_command", command<&EndToEnd::accuracy_command>},
                                                      {"metric", read_metric},
                                                      {"swap", read_swap},
                                                      {"required", field<&EndToEnd::required>}}};

void check_commands(Reader& reader, const Node& node) {
  const Node *one = node.find("command"), *baseline = node.find("baseline_command"),
             *candidate = node.find("candidate_command");
  if (one && (baseline || candidate)) {
    return reader.fail(*one, node.path + ": either 'command' and 'swap', or both commands, not all of them");
  }
  if (!one && !baseline && !candidate) {
    return reader.fail(node, node.path + " needs 'baseline_command' and 'candidate_command', or 'command' and 'swap'");
  }
  check_together(reader, node, "baseline_command", "candidate_command");
  check_together(reader, node, "command", "swap");
}

}  // namespace

void read_roi(Reader& reader, const Node& node) {
  RoiSpec roi;
  if (read_table(reader, node, kRoiKeys, roi)) {
    check_cost_lines(reader, node);
    check_together(reader, node, "tokens", "usd_per_million");
    check_together(reader, node, "search_hours", "search_usd_per_hour");
  }
  reader.contract.roi = roi;
}

void read_end_to_end(Reader& reader, const Node& node) {
  EndToEnd workload;
  if (read_table(reader, node, kEndToEndKeys, workload)) check_commands(reader, node);
  reader.contract.end_to_end = std::move(workload);
}

}  // namespace assay::contract
