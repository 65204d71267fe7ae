#include "roi/results.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <sstream>

#include "roi/byte_source.h"
#include "roi/json_text.h"
#include "roi/valid.h"

// Theory of operation: one row of kForms per format, with the system that writes it and how its text becomes rows. A
// table says what its own system measured: importing it makes nothing true, and claim.h says so. A time that is no
// number above zero is an error; a failed workload is a row without a speed-up.

namespace assay::roi {
namespace {

using nlohmann::json;

std::optional<double> positive(const JsonRow& row, std::string_view key, double unit = 1.0) {
  if (!row.has(key)) return std::nullopt;
  const double value = row.number(key);
  if (value <= 0.0) return std::nullopt;  // several systems write -1 or 0 where nothing was measured
  return value * unit;
}

/// A number, or a text such as "1.234x".
std::optional<double> factor(const JsonRow& row, std::string_view key) {
  if (!row.has(key)) return std::nullopt;
  if (!row.value(key).is_string()) return positive(row, key);
  std::string text = row.text(key);
  if (text.ends_with('x')) text.pop_back();
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    row.fail("'" + std::string(key) + "' is no factor: " + text);
  return value > 0.0 ? std::optional(value) : std::nullopt;
}

/// Fills the speed-up from the times where the table has both.
void complete(ResultRow& row) {
  if (!row.speedup && row.baseline_s && row.candidate_s) row.speedup = *row.baseline_s / *row.candidate_s;
  if (!row.correct) row.speedup.reset();
}

std::string first_of(const JsonRow& row, std::initializer_list<std::string_view> keys) {
  for (std::string_view key : keys) {
    if (row.has(key)) return row.loose_text(key);
  }
  return "";
}

/// The form of flashinfer-bench and of the AKO loops: {status, latency_ms, reference_latency_ms, speedup_factor, …}, in
/// `evaluation` of a trace or by itself.
ResultRow evaluation_row(const JsonRow& row, const std::string& workload) {
  ResultRow result;
  result.workload = workload;
  const std::string status = row.text("status");
  result.correct = status == "PASSED";
  if (!result.correct) result.failure = status;
  const JsonRow times = row.has("performance") ? JsonRow(row.value("performance"), workload, "performance") : row;
  result.candidate_s = positive(times, "latency_ms", 1e-3);
  result.baseline_s = positive(times, "reference_latency_ms", 1e-3);
  result.speedup = factor(times, "speedup_factor");
  result.baseline = "reference";
  complete(result);
  return result;
}

void read_flashinfer_row(const JsonRow& row, ResultTable& table) {
  if (!row.has("evaluation")) return;  // a workload that nobody has run
  const JsonRow evaluation(row.value("evaluation"), table.path, "evaluation");
  std::string workload = row.has("definition") ? row.loose_text("definition") : "";
  if (row.has("workload") && row.value("workload").is_object()) {
    workload += "/" + JsonRow(row.value("workload"), table.path, "workload").loose_text("uuid");
  }
  table.rows.push_back(evaluation_row(evaluation, workload));
  if (!evaluation.has("environment")) return;
  const JsonRow environment(evaluation.value("environment"), table.path, "environment");
  if (environment.has("hardware")) table.hardware = environment.loose_text("hardware");
}

/// One JSON value, or one a line.
std::vector<json> values_of(const std::string& text, const std::string& name) {
  if (json::accept(text)) {
    const json root = json::parse(text);
    return root.is_array() ? root.get<std::vector<json>>() : std::vector<json>{root};
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n"), line_end = text.find('\n');
  const bool lines = first != std::string::npos && text[first] == '{' && line_end != std::string::npos &&
                     json::accept(text.substr(0, line_end));
  if (!lines) parse_json(text, name);  // throws with the place
  std::vector<json> values;
  std::istringstream stream(text);
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (!json::accept(line)) fail(name + ":" + std::to_string(number) + ": bad JSON; was the file written to its end?");
    values.push_back(json::parse(line));
  }
  return values;
}

void read_flashinfer(const std::string& text, ResultTable& table) {
  for (const json& value : values_of(text, table.path)) read_flashinfer_row(JsonRow(value, table.path, ""), table);
}

/// {definition: {uuid: evaluation}}, a list of traces, or the five lines of AKO4ALL.
void read_akox_json(const json& value, const std::string& place, ResultTable& table) {
  const JsonRow row(value, table.path, place);
  if (row.has("evaluation")) return read_flashinfer_row(row, table);
  if (row.has("status")) return table.rows.push_back(evaluation_row(row, place));
  if (!value.is_object()) row.fail("expected an object with 'status', or of such objects");
  for (const auto& [key, inner] : value.items()) {
    if (inner.is_object()) read_akox_json(inner, place.empty() ? key : place + "/" + key, table);
  }
}

std::string after(const std::string& text, std::string_view label) {
  const std::size_t at = text.find(label);
  if (at == std::string::npos) return "";
  const std::size_t start = text.find_first_not_of(' ', at + label.size());
  return start == std::string::npos ? "" : text.substr(start, text.find_first_of("\r\n", start) - start);
}

std::optional<double> factor_text(std::string text, const std::string& name, std::string_view what) {
  if (text.ends_with('x')) text.pop_back();
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail(name + ": '" + std::string(what) + "' is no number: '" + text + "'");
  }
  return value > 0.0 ? std::optional(value) : std::nullopt;
}

void read_akox_lines(const std::string& text, ResultTable& table) {
  ResultRow row;
  row.workload = "the one shape";
  row.baseline = "reference";
  row.correct = after(text, "CORRECT:") == "True";
  if (!row.correct) row.failure = "CORRECT: " + after(text, "CORRECT:");
  row.speedup = factor_text(after(text, "SPEEDUP:"), table.path, "SPEEDUP");
  complete(row);
  table.rows.push_back(std::move(row));
}

void read_akox(const std::string& text, ResultTable& table) {
  if (text.find("SPEEDUP:") != std::string::npos) return read_akox_lines(text, table);
  for (const json& value : values_of(text, table.path)) read_akox_json(value, "", table);
}

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, separator);) {
    if (field.ends_with('\r')) field.pop_back();
    fields.push_back(field);
  }
  return fields;
}

/// The TSV of experiments: what was kept last is the result; others are history.
void read_autokernel_table(const std::string& text, ResultTable& table) {
  std::istringstream stream(text);
  std::string line;
  std::getline(stream, line);
  const std::vector<std::string> header = split(line, '\t');
  const auto column = [&](std::string_view name) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end()) fail(table.path + ":1: column '" + std::string(name) + "' is missing");
    return static_cast<std::size_t>(found - header.begin());
  };
  const std::size_t tag = column("tag"), kind = column("kernel_type"), speedup = column("speedup_vs_pytorch"),
                    correctness = column("correctness");
  for (int number = 2; std::getline(stream, line); ++number) {
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.empty()) continue;
    const std::string place = table.path + ":" + std::to_string(number);
    if (fields.size() <= std::max({tag, kind, speedup, correctness})) fail(place + ": too few columns");
    if (fields[tag].find("kept") == std::string::npos && fields[tag].find("keep") == std::string::npos) continue;
    ResultRow row;
    row.workload = fields[kind];
    row.baseline = "pytorch";
    row.correct = fields[correctness] == "PASS" || fields[correctness] == "True" || fields[correctness] == "true";
    if (!row.correct) row.failure = fields[correctness];
    row.speedup = factor_text(fields[speedup], place, "speedup_vs_pytorch");
    complete(row);
    std::erase_if(table.rows, [&](const ResultRow& old) { return old.workload == row.workload; });
    table.rows.push_back(std::move(row));
  }
}

void read_autokernel(const std::string& text, ResultTable& table) {
  if (text.find('\t') != std::string::npos) return read_autokernel_table(text, table);
  ResultRow row;
  row.workload = "the benchmarked size";
  row.baseline = "pytorch";
  row.correct = after(text, "correctness:") == "PASS";
  if (!row.correct) row.failure = "correctness: " + after(text, "correctness:");
  row.speedup = factor_text(after(text, "speedup_vs_pytorch:"), table.path, "speedup_vs_pytorch");
  complete(row);
  table.rows.push_back(std::move(row));
}

void read_apex(const std::string& text, ResultTable& table) {
  for (const json& value : values_of(text, table.path)) {
    const JsonRow row(value, table.path, "");
    ResultRow result;
    result.workload = row.text("task_id");
    result.baseline = row.has("baseline") ? row.loose_text("baseline") : "baseline";
    result.correct = row.truth("correct") && (!row.has("compiled") || row.truth("compiled"));
    if (!result.correct) result.failure = first_of(row, {"error", "correctness_mode"});
    result.speedup = factor(row, "speedup");
    complete(result);
    table.rows.push_back(std::move(result));
  }
}

std::optional<double> magpie_latency(const JsonRow& row, const std::string& file) {
  if (!row.has("latency_result") || !row.value("latency_result").is_object()) return std::nullopt;
  const JsonRow latency(row.value("latency_result"), file, "latency_result");
  for (std::string_view key : {"latency_ms", "mean_ms", "avg_ms", "median_ms"}) {
    if (latency.has(key)) return positive(latency, key, 1e-3);
  }
  return std::nullopt;
}

/// A comparison: the first kernel is what the others are over.
void read_magpie(const std::string& text, ResultTable& table) {
  const json root = parse_json(text, table.path);
  const std::vector<JsonRow> rows = JsonRow(root, table.path, "").rows("kernel_results");
  if (rows.empty()) fail(table.path + ": 'kernel_results' is empty");
  const std::string baseline = first_of(rows.front(), {"kernel_id", "name"});
  const std::optional<double> baseline_s = magpie_latency(rows.front(), table.path);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ResultRow result;
    result.workload = first_of(rows[i], {"kernel_id", "name"});
    if (result.workload.empty()) result.workload = "kernel " + std::to_string(i);
    result.baseline = baseline.empty() ? "kernel 0" : baseline;
    const std::string state = rows[i].text("correctness_state");
    result.correct = state == "SUCCESS";
    if (!result.correct) result.failure = "correctness " + state;
    result.baseline_s = baseline_s;
    result.candidate_s = magpie_latency(rows[i], table.path);
    complete(result);
    table.rows.push_back(std::move(result));
  }
}

/// {problem, kernels{stem: {time_ms, …}}, pytorch_reference}: the fastest is the candidate, the next the alternative.
void read_kernelagent(const JsonRow& root, ResultTable& table) {
  ResultRow row;
  row.workload = first_of(root, {"problem"}) + (root.has("size") ? " " + root.loose_text("size") : "");
  row.baseline = "pytorch_reference";
  table.hardware = first_of(root, {"device"});
  table.system = "KernelAgent";
  if (root.value("pytorch_reference").is_object()) {
    row.baseline_s =
        positive(JsonRow(root.value("pytorch_reference"), table.path, "pytorch_reference"), "time_ms", 1e-3);
  } else {
    row.baseline_s = positive(root, "pytorch_reference", 1e-3);
  }
  constexpr double kNone = std::numeric_limits<double>::infinity();
  double best = kNone, next = kNone;
  for (const auto& [stem, kernel] : root.value("kernels").items()) {
    const JsonRow each(kernel, table.path, "kernels." + stem);
    const double time = each.has("error") ? kNone : positive(each, "time_ms", 1e-3).value_or(kNone);
    next = std::min(next, std::max(best, time));
    best = std::min(best, time);
  }
  row.correct = best < kNone;
  if (!row.correct) row.failure = "no kernel without an error";
  if (best < kNone) row.candidate_s = best;
  if (next < kNone) row.alternative_s = next;
  complete(row);
  table.rows.push_back(std::move(row));
}

void read_kernelbench_row(const JsonRow& row, const std::string& problem, ResultTable& table) {
  ResultRow result;
  result.workload = problem;
  result.baseline = first_of(row, {"baseline"});
  if (result.baseline.empty()) result.baseline = "reference";
  const bool compiled = !row.has("compiled") || row.truth("compiled");
  result.correct = compiled && row.truth("correctness");
  if (!result.correct) result.failure = compiled ? "incorrect" : "does not compile";
  result.candidate_s = positive(row, "runtime", 1e-3);
  result.baseline_s = positive(row, "ref_runtime", 1e-3);
  result.speedup = factor(row, "speedup");
  complete(result);
  if (row.has("metadata") && row.value("metadata").is_object()) {
    const std::string hardware = JsonRow(row.value("metadata"), table.path, "metadata").loose_text("hardware");
    if (!hardware.empty()) table.hardware = hardware;
  }
  table.rows.push_back(std::move(result));
}

/// {problem: result}, {problem: [result of each sample]}, or KernelAgent's form of one problem.
void read_kernelbench(const std::string& text, ResultTable& table) {
  const json root = parse_json(text, table.path);
  const JsonRow top(root, table.path, "");
  if (top.has("kernels") && top.has("pytorch_reference")) return read_kernelagent(top, table);
  if (!root.is_object()) top.fail("expected an object of problems");
  if (top.has("system")) table.system = top.loose_text("system");
  for (const auto& [problem, value] : root.items()) {
    const json& result = value.is_array() && !value.empty() ? value.front() : value;
    if (result.is_object()) read_kernelbench_row(JsonRow(result, table.path, problem), problem, table);
  }
}

struct ResultsForm {
  ResultsFormat format;
  std::string_view system;  ///< that alone writes it; empty: several do
  void (*read)(const std::string&, ResultTable&);
};

/// One row per format, in the order of the enumeration.
constexpr std::array<ResultsForm, 6> kForms{{{ResultsFormat::akox, "AKO", read_akox},
                                             {ResultsFormat::autokernel, "AutoKernel", read_autokernel},
                                             {ResultsFormat::apex, "Apex", read_apex},
                                             {ResultsFormat::magpie, "Apex", read_magpie},
                                             {ResultsFormat::kernelbench, "", read_kernelbench},
                                             {ResultsFormat::flashinfer, "", read_flashinfer}}};

}  // namespace

ResultTable parse_results(const std::string& text, const std::string& name, ResultsFormat format) {
  const ResultsForm& form = kForms[static_cast<std::size_t>(format)];
  ResultTable table;
  table.path = name;
  table.format = name_in(kResultsFormats, format);
  table.system = form.system;
  form.read(text, table);
  if (table.rows.empty()) fail(name + ": no results in it");
  return table;
}

ResultTable read_results(const std::string& path, ResultsFormat format) {
  const std::unique_ptr<ByteSource> source = open_file(path);
  return parse_results(read_whole(*source, path), path, format);
}

}  // namespace assay::roi
