#include "roi/answer.h"

#include <algorithm>

#include "core/axes.h"
#include "roi/byte_source.h"
#include "roi/emit_shapes.h"
#include "roi/json_text.h"
#include "roi/plot.h"
#include "roi/rank.h"
#include "roi/select.h"
#include "roi/valid.h"

namespace assay::roi {
namespace {

using nlohmann::json;

constexpr double kReportConfidence = 0.95;  // of the intervals in a report's `speed`

/// A number, or {p05, p50, p95}.
Quantiles quantiles_in(const JsonRow& row, std::string_view key) {
  if (row.value(key).is_number()) {
    const double value = row.number(key);
    return {value, value, value};
  }
  const JsonRow inner(row.value(key), "report", std::string(key));
  return {inner.number("p05"), inner.number("p50"), inner.number("p95")};
}

/// Seconds per call of the baseline in the regime that decides; nothing in reports that don't say.
std::optional<double> decisive_baseline(const JsonRow& row) {
  if (!row.has("regimes")) return std::nullopt;
  const std::vector<JsonRow> regimes = row.rows("regimes");
  return regimes.empty() || !regimes.front().has("baseline_s") ? std::nullopt
                                                               : std::optional(regimes.front().number("baseline_s"));
}

std::optional<ReportFacts::Shape> shape_of(const JsonRow& row) {
  ReportFacts::Shape shape;
  shape.name = row.text("shape");
  if (!row.has("reference_s") || !row.has("candidate_s")) return std::nullopt;
  shape.reference_s = row.number("reference_s");
  const double s = speedup_of_times(shape.reference_s, row.number("candidate_s"));
  shape.speedup = {s, s, s};
  if (!row.has("speedup")) return shape;
  shape.reference_s = decisive_baseline(row).value_or(shape.reference_s);
  const JsonRow speedup(row.value("speedup"), "report", "speedup");
  shape.speedup = quantiles_from_interval(speedup.number("estimate"), speedup.number("low"), speedup.number("high"),
                                          kReportConfidence);
  shape.has_interval = true;
  return shape;
}

}  // namespace

ReportFacts parse_report(const std::string& text, const std::string& name) {
  const json root = parse_json(text, name);
  const JsonRow report(root, name, "");
  if (!report.has("verdict") || !report.has("speed"))
    report.fail("no report of an audit: 'verdict' or 'speed' is missing");
  ReportFacts facts;
  facts.path = name;
  facts.verdict = report.text("verdict");
  if (report.has("contract"))
    facts.contract_path = JsonRow(report.value("contract"), name, "contract").loose_text("path");
  const JsonRow speed(report.value("speed"), name, "speed");
  for (const JsonRow& row : speed.rows("shapes")) {
    if (auto shape = shape_of(row)) facts.shapes.push_back(std::move(*shape));
  }
  if (report.has("end_to_end")) {
    const JsonRow measured(report.value("end_to_end"), name, "end_to_end");
    if (measured.has("saved_fraction")) facts.end_to_end = quantiles_in(measured, "saved_fraction");
  }
  return facts;
}

ReportFacts read_report(const std::string& path) {
  const std::unique_ptr<ByteSource> source = open_file(path);
  return parse_report(read_whole(*source, path), path);
}

namespace {

RoiSpec money_of(const Question& question) {
  return question.contract && question.contract->roi ? *question.contract->roi : RoiSpec{};
}

RoiTrace trace_of(const Profile& profile, const Selection& selection) {
  RoiTrace trace{profile.path,         profile.format,         selection.kernel_share,
                 selection.wall_share, selection.active_share, selection.busy_share,
                 selection.matched_s,  selection.unmatched_s,  {},
                 selection.notes};
  for (const MatchedKernel& kernel : selection.kernels) {
    trace.matches.push_back({kernel.name, kernel.calls, kernel.kernel_share});
  }
  return trace;
}

/// Time-weighted over the picked kernels; nothing where the profile does not know it of all of them.
std::optional<double> floor_of(const Profile& profile, const std::function<bool(std::string_view)>& picks) {
  double total = 0.0, floor = 0.0;
  for (const ProfileKernel& kernel : profile.kernels) {
    if (!picks(kernel.name)) continue;
    if (!kernel.roofline) return std::nullopt;
    total += kernel.total_s;
    floor += kernel.total_s * *kernel.roofline;
  }
  return total > 0.0 ? std::optional(floor / total) : std::nullopt;
}

/// What is known about the share, from one source.
struct Share {
  Quantiles value;
  std::string source;
  bool ceiling = false;
  std::optional<double> floor_ratio;
  std::vector<std::string> notes;
};

Share share_from_trace(const Question& question, RoiAnswer& answer) {
  if (question.kernel.empty())
    fail("--trace needs --kernel: a name or a regular expression (--rank lists the kernels)");
  ProfileRequest request;
  request.picks = picks_of(question.kernel);
  const Profile profile = read_profile(question.trace, request);
  const Selection selection = select(profile, question.kernel, money_of(question).busy_share);
  answer.trace = trace_of(profile, selection);
  const double f = selection.hot_fraction;
  return {{f, f, f},
          question.trace + " (" + profile.format + ")",
          selection.ceiling,
          floor_of(profile, request.picks),
          selection.notes};
}

Share share_of(const Question& question, RoiAnswer& answer) {
  if (question.hot_fraction) {
    const double f = *question.hot_fraction;
    check_share("--hot-fraction", f);
    return {{f, f, f}, "--hot-fraction", false, std::nullopt, {}};
  }
  if (!question.trace.empty()) return share_from_trace(question, answer);
  const RoiSpec money = money_of(question);
  if (money.hot_fraction) {
    return {*money.hot_fraction, question.contract->path + " [roi]", false, std::nullopt, {}};
  }
  fail("no share of the workload is known: give --hot-fraction, [roi] hot_fraction, or --trace and --kernel");
}

const ReportFacts::Shape* find_shape(const ReportFacts& report, const std::string& name) {
  const auto found = std::find_if(report.shapes.begin(), report.shapes.end(),
                                  [&](const ReportFacts::Shape& shape) { return shape.name == name; });
  return found == report.shapes.end() ? nullptr : &*found;
}

ShapeInput shape_input(const ReportFacts::Shape& shape, double weight, SpeedStatus status) {
  ShapeInput input;
  input.name = shape.name;
  input.weight = {weight, weight, weight};
  input.time_s = shape.reference_s;
  input.speedup = shape.speedup;
  input.status = status;
  return input;
}

/// Production shapes by their weights; without them every audited shape counts alike. A production shape without a time
/// can't be given its share: it counts as slow as the mean and as not audited.
std::vector<ShapeInput> shapes_from_report(const Question& question, std::vector<std::string>& notes) {
  const ReportFacts& report = *question.report;
  if (report.shapes.empty()) fail(report.path + ": no shape was timed on both sides: give --speedup");
  const SpeedStatus status = report.verdict == "pass" ? SpeedStatus::audited : SpeedStatus::not_audited;
  std::vector<ShapeInput> shapes;
  if (question.contract && !question.contract->shapes.empty()) {
    double mean = 0.0;
    for (const auto& shape : report.shapes) mean += shape.reference_s / static_cast<double>(report.shapes.size());
    for (const ProductionShape& production : question.contract->shapes) {
      const std::string name = to_string(production.axes);
      const ReportFacts::Shape* found = find_shape(report, name);
      shapes.push_back(found
                           ? shape_input(*found, production.weight, status)
                           : shape_input({name, mean, {1, 1, 1}, false}, production.weight, SpeedStatus::not_audited));
    }
    return shapes;
  }
  for (const auto& shape : report.shapes) shapes.push_back(shape_input(shape, 1.0, status));
  notes.push_back("production shapes are not declared: every audited shape is called as often");
  return shapes;
}

void add_given_speed(Inputs& inputs, double speedup) {
  inputs.kernels.front().shapes.front().speedup = {speedup, speedup, speedup};
  inputs.claimed_speedup = speedup;
  inputs.audited = false;
  inputs.source += ", speed-up as given";
  inputs.notes.push_back("the speed-up is as given: nothing was audited");
}

void add_audited_speed(Inputs& inputs, const Question& question) {
  const ReportFacts& report = *question.report;
  inputs.kernels.front().shapes = shapes_from_report(question, inputs.notes);
  inputs.verdict_failed = report.verdict == "fail";
  inputs.claimed_speedup = question.speedup;
  inputs.source += ", speed-up of " + report.path;
  const bool points =
      std::none_of(report.shapes.begin(), report.shapes.end(), [](const auto& shape) { return shape.has_interval; });
  if (points) inputs.notes.push_back("speed-ups are medians without an interval");
  if (report.verdict == "pass" || inputs.verdict_failed) return;
  inputs.notes.push_back("the audit did not pass (" + report.verdict + "): its speed-ups are not credited");
}

/// Beside a report a given speed-up is what was claimed; alone it is all there is.
void add_speed(Inputs& inputs, const Question& question) {
  if (question.speedup) check_positive("--speedup", *question.speedup);
  if (question.report) return add_audited_speed(inputs, question);
  if (question.speedup) return add_given_speed(inputs, *question.speedup);
  if (question.before) return;
  fail("no speed-up is known: give --speedup or the report.json of an audit (or --before, to ask before a search)");
}

Inputs inputs_of(const Question& question, RoiAnswer& answer) {
  const Share share = share_of(question, answer);
  Inputs inputs;
  inputs.kernels = {single_kernel(question.contract ? question.contract->name : "kernel", share.value, {1, 1, 1})};
  inputs.kernels.front().shapes.front().floor_ratio = share.floor_ratio;
  inputs.money = money_of(question);
  inputs.source = "share of " + share.source;
  inputs.share_is_ceiling = share.ceiling;
  inputs.notes = share.notes;
  add_speed(inputs, question);
  return inputs;
}

std::optional<PreviousCampaign> previous_of(const Question& question) {
  if (question.previous.empty()) return std::nullopt;
  const ReportFacts facts = read_report(question.previous);
  return PreviousCampaign{facts.path, facts.end_to_end};
}

RoiRanking ranking_of(const Question& question, const std::string& path) {
  RankOptions options;
  options.busy_share = money_of(question).busy_share;
  return rank(read_profile(path), nullptr, options);
}

/// What a preset demands of the speed-up, and what its producer would have said.
void apply_limit(RoiResult& result, const Preset& preset) {
  const Quantiles s =
      result.speedup.spread.value_or(Quantiles{result.speedup.value, result.speedup.value, result.speedup.value});
  const Acceptance ours = our_acceptance(preset, s.p05, s.p95);
  const std::string name(preset.name);
  if (ours != Acceptance::accepted) {
    result.gate = ours == Acceptance::refused ? RoiGate::do_not_deploy : RoiGate::none;
    result.reasons.push_back(name + ": " + fixed_text(s.p05, 4) + "x is not above " + number_text(*preset.min_speedup) +
                             "x with its whole interval");
  }
  const std::optional<bool> theirs = their_acceptance(preset, result.speedup.value);
  if (theirs) {
    result.reasons.push_back(name + ": " + (*theirs ? "would" : "would not") +
                             " have passed its producer's own rule (" + std::string(preset.rule) + ")");
  }
}

RoiResult result_of(const Question& question, const Preset* preset, RoiAnswer& answer) {
  Inputs inputs = inputs_of(question, answer);
  const bool needs_cost = preset && preset->name == "campaign";
  if (needs_cost && !campaign_cost(inputs.money).usd) fail("preset 'campaign' needs " + std::string(preset->needs));
  if (!question.before) {
    RoiResult result = assess(inputs);
    if (preset && preset->min_speedup) apply_limit(result, *preset);
    return result;
  }
  GateRequest request;
  request.inputs = std::move(inputs);
  if (preset && preset->refuse_roofline) request.policy.refuse_roofline = *preset->refuse_roofline;
  request.previous = previous_of(question);
  const std::string& others = question.rank.empty() ? question.trace : question.rank;
  if (!others.empty()) {
    request.others = others_of(ranking_of(question, others));
    if (!question.kernel.empty()) {
      const auto picks = picks_of(question.kernel);
      std::erase_if(request.others, [&](const OtherKernel& other) { return picks(other.name); });
    }
  }
  return gate_before(request);
}

}  // namespace

RoiAnswer answer(const Question& question) {
  const Preset* preset = question.preset.empty() ? nullptr : &find_preset(question.preset);
  if (!question.previous.empty() && !question.before) fail("--previous needs --before");
  if (!question.kernel.empty() && question.trace.empty()) fail("--kernel needs --trace");
  RoiAnswer found;
  if (!question.rank.empty()) found.ranking = ranking_of(question, question.rank);
  const bool only_ranked = found.ranking && !question.contract && !question.report && !question.hot_fraction &&
                           question.trace.empty() && !question.before;
  if (only_ranked) return found;
  found.result = result_of(question, preset, found);
  if (!question.before) found.plot = plot_lines(*found.result);
  return found;
}

std::string shapes_of(const Question& question) {
  if (question.trace.empty()) fail("--emit-shapes needs --trace");
  ProfileRequest request;
  request.shapes = true;
  const Profile profile = read_profile(question.trace, request);
  return shapes_toml(profile, question.kernel.empty() ? nullptr : picks_of(question.kernel), question.contract);
}

Exit exit_of(const Question& question, const RoiAnswer& answer) {
  if (!answer.result) return Exit::kPass;
  switch (answer.result->gate) {
    case RoiGate::fund:
    case RoiGate::deploy:
      return Exit::kPass;
    case RoiGate::do_not_search:
    case RoiGate::do_not_deploy:
      return Exit::kFail;
    case RoiGate::none:
      break;
  }
  const bool asked = question.before || !answer.result->reasons.empty();
  return asked ? Exit::kInconclusive : Exit::kPass;
}

}  // namespace assay::roi
