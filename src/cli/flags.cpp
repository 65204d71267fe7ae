#include "cli/flags.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace assay::cli {
namespace {

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    items.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  return items;
}

/// "one of quick, standard, deep".
template <class Table>
std::string one_of(const Table& table) {
  std::string text = "one of";
  for (const auto& each : table) text += (&each == &table.front() ? " " : ", ") + std::string(each.name);
  return text;
}

template <class Table>
auto find_named(const Table& table, std::string_view name) {
  return std::find_if(table.begin(), table.end(), [&](const auto& each) { return each.name == name; });
}

std::string set_subject(std::optional<SubjectArg>& subject, const std::string& value) {
  SubjectArg arg = split_subject(value);
  if (arg.path.empty()) return "the path of a shared object, then if need be ':' and a symbol";
  subject = std::move(arg);
  return "";
}

std::string set_words(std::vector<std::string>& words, const std::string& value, std::string_view allowed) {
  std::vector<std::string> items = split_list(value);
  if (std::find(items.begin(), items.end(), "") != items.end()) return std::string(allowed);
  words = std::move(items);
  return "";
}

std::string set_candidate(Options& o, const std::string& value) {
  return set_subject(o.candidate, value);
}
std::string set_reference(Options& o, const std::string& value) {
  return set_subject(o.reference, value);
}

std::string set_device(Options& o, const std::string& value) {
  const bool numbered = value.starts_with("cuda:") && value.size() > 5 &&
                        value.find_first_not_of("0123456789", 5) == std::string::npos && value.size() < 9;
  if (value != "cpu" && value != "cuda" && !numbered) return "cpu, cuda or cuda:N ('assay devices' lists what is here)";
  o.device = value;
  return "";
}

std::string set_depth(Options& o, const std::string& value) {
  const auto depth = find_named(kDepths, value);
  if (depth == kDepths.end()) return one_of(kDepths);
  o.depth = depth->depth;
  return "";
}

std::string set_only(Options& o, const std::string& value) {
  return set_words(o.only, value, "ids of checks, separated by commas (see 'assay checks')");
}
std::string set_without(Options& o, const std::string& value) {
  return set_words(o.without, value, "ids of checks, separated by commas (see 'assay checks')");
}

std::string set_seed(Options& o, const std::string& value) {
  Seed seed;
  if (!from_hex(value, seed)) return "64 hexadecimal digits, as a report prints them";
  o.seed = seed;
  return "";
}

std::string set_out(Options& o, const std::string& value) {
  if (value.empty()) return "the path of a folder";
  o.out = value;
  return "";
}

std::string set_format(Options& o, const std::string& value) {
  std::vector<Format> formats;
  for (const std::string& name : split_list(value)) {
    const auto format = find_named(kFormats, name);
    if (format == kFormats.end()) return one_of(kFormats) + ", or several with commas";
    if (std::find(formats.begin(), formats.end(), format->format) == formats.end()) formats.push_back(format->format);
  }
  o.formats = std::move(formats);
  return "";
}

/// For commands that write no files.
std::string set_printed(Options& o, const std::string& value) {
  for (const Format format : {Format::console, Format::json}) {
    if (info(format).name != value) continue;
    o.formats = {format};
    return "";
  }
  return "console or json";
}

std::string set_with(Options& o, const std::string& value) {
  return set_words(o.with, value, "paths of files, separated by commas");
}

std::string set_disclosure(Options& o, const std::string& value) {
  const auto row = find_named(kDisclosures, value);
  if (row == kDisclosures.end()) return one_of(kDisclosures);
  o.disclosure = row->disclosure;
  return "";
}

std::string set_accept_weak_sandbox(Options& o, const std::string&) {
  o.accept_weak_sandbox = true;
  return "";
}

std::string set_number(std::optional<double>& number, const std::string& value, std::string_view allowed) {
  double parsed = 0.0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  if (error != std::errc() || end != value.data() + value.size() || !(parsed >= 0.0)) return std::string(allowed);
  number = parsed;
  return "";
}

template <std::string Options::*kField>
std::string set_text(Options& o, const std::string& value) {
  if (value.empty()) return "a text that is not empty";
  o.*kField = value;
  return "";
}

std::string set_hot_fraction(Options& o, const std::string& value) {
  std::string refused = set_number(o.hot_fraction, value, "a share of wall time from 0 to 1");
  if (refused.empty() && *o.hot_fraction > 1.0) return "a share of wall time from 0 to 1";
  return refused;
}

std::string set_speedup(Options& o, const std::string& value) {
  constexpr std::string_view kAllowed = "old time / new time, above 0";
  std::string refused = set_number(o.speedup, value, kAllowed);
  return refused.empty() && *o.speedup == 0.0 ? std::string(kAllowed) : refused;
}

std::string set_before(Options& o, const std::string&) {
  o.before = true;
  return "";
}

std::string set_emit_shapes(Options& o, const std::string&) {
  o.emit_shapes = true;
  return "";
}

std::string set_threats(Options& o, const std::string&) {
  o.threats = true;
  return "";
}

constexpr std::array<FlagRow, 24> kFlags{{
    {Flag::candidate, "candidate", "LIB[:SYMBOL]", "the shared object to judge; default: the contract's",
     set_candidate},
    {Flag::reference, "reference", "LIB[:SYMBOL]", "what runs today; default: the contract's", set_reference},
    {Flag::device, "device", "NAME", "where subjects run: cpu (default), cuda or cuda:N", set_device},
    {Flag::depth, "depth", "quick|standard|deep", "how much to spend (default standard)", set_depth},
    {Flag::only, "only", "CHECK,…", "run these checks alone; witnesses stay on", set_only},
    {Flag::without, "without", "CHECK,…", "leave these checks out; the report says so", set_without},
    {Flag::seed, "seed", "HEX64", "repeat an audit's draws; default: fresh entropy after the subject is loaded",
     set_seed},
    {Flag::out, "out", "DIR", "write reports into this folder; it is made if missing", set_out},
    {Flag::format, "format", "FORMAT,…", "console, json, junit (default console; with --out also json)", set_format},
    {Flag::printed, "format", "console|json", "what to print (default console)", set_printed},
    {Flag::with, "with", "FILE,…", "files that must lie beside the candidate in its sandbox", set_with},
    {Flag::disclose, "disclose", "full|class",
     "how much reports show; class: what a search loop may learn (default full)", set_disclosure},
    {Flag::campaign, "campaign", "FILE",
     "count this timed submission in the file; all of one campaign share the level of a false \"faster\"",
     set_text<&Options::campaign>},
    {Flag::accept_weak_sandbox, "accept-weak-sandbox", "", "audit although this machine confines a subject poorly",
     set_accept_weak_sandbox},
    {Flag::hot_fraction, "hot-fraction", "F",
     "the kernel's share of wall time today; default: the trace's or contract's", set_hot_fraction},
    {Flag::speedup, "speedup", "S", "the kernel's speed-up over what runs today; beside a REPORT: as claimed",
     set_speedup},
    {Flag::trace, "trace", "FILE", "a profile of the workload (PyTorch, nsys, rocprof, Magpie, AutoKernel, Apex)",
     set_text<&Options::trace>},
    {Flag::kernel, "kernel", "REGEX", "which kernels of the trace, by name or regular expression",
     set_text<&Options::kernel>},
    {Flag::before, "before", "", "ask whether a search can pay at all: FUND or DO_NOT_SEARCH", set_before},
    {Flag::previous, "previous", "REPORT", "the last campaign's report: unmeasured returns are not funded again",
     set_text<&Options::previous>},
    {Flag::preset, "preset", "NAME", "another system's acceptance rule on top, such as apex-integrate",
     set_text<&Options::preset>},
    {Flag::rank, "rank", "TRACE", "list what to optimise first", set_text<&Options::rank>},
    {Flag::emit_shapes, "emit-shapes", "", "print [[shapes]] of the trace's kernels for a contract, and nothing else",
     set_emit_shapes},
    {Flag::threats, "threats", "", "list the known threats instead, with what sees each and the kernels that prove it",
     set_threats},
}};

}  // namespace

std::span<const FlagRow> flag_rows() {
  return kFlags;
}

const FlagRow& row(Flag flag) {
  return kFlags[static_cast<std::size_t>(flag)];
}

std::string usage_of(const FlagRow& row) {
  std::string text = "--" + std::string(row.name);
  if (!row.value.empty()) text += " " + std::string(row.value);
  return text;
}

}  // namespace assay::cli
