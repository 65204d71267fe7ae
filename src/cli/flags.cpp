#include "cli/flags.h"

#include <algorithm>
#include <array>

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
  if (arg.library.empty()) return "the path of a shared object, then if need be ':' and a symbol";
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
  if (value != "cpu") return "cpu";
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

std::string set_with(Options& o, const std::string& value) {
  return set_words(o.with, value, "paths of files, separated by commas");
}

std::string set_accept_weak_sandbox(Options& o, const std::string&) {
  o.accept_weak_sandbox = true;
  return "";
}

constexpr std::array<FlagRow, 10> kFlags{{
    {Flag::candidate, "candidate", "LIB[:SYMBOL]", "the shared object to judge; default: the contract's",
     set_candidate},
    {Flag::reference, "reference", "LIB[:SYMBOL]", "what runs today; default: the contract's", set_reference},
    {Flag::device, "device", "cpu", "where subjects run (default cpu)", set_device},
    {Flag::depth, "depth", "quick|standard|deep", "how much to spend (default standard)", set_depth},
    {Flag::only, "only", "CHECK,…", "run these checks alone; witnesses stay on", set_only},
    {Flag::seed, "seed", "HEX64", "repeat an audit's draws; default: fresh entropy after the subject is loaded",
     set_seed},
    {Flag::out, "out", "DIR", "write reports into this folder; it is made if missing", set_out},
    {Flag::format, "format", "FORMAT,…", "console, json, junit (default console; with --out also json)", set_format},
    {Flag::with, "with", "FILE,…", "files that must lie beside the candidate in its sandbox", set_with},
    {Flag::accept_weak_sandbox, "accept-weak-sandbox", "", "audit although this machine confines a subject poorly",
     set_accept_weak_sandbox},
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
