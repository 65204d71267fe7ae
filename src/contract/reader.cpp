#include "contract/reader.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "contract/table.h"
#include "core/nearest.h"

namespace assay::contract {
namespace {

constexpr std::size_t kMaxShown = 60;
constexpr std::size_t kMaxListed = 64;
constexpr std::size_t kMaxErrors = 1000;  // places are found by walking the text: a hostile one must not take long

bool part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Where `name` stands as a whole word; an expression that uses it has such a place.
std::size_t find_name(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || !part_of_name(text[at - 1]);
    const bool ends = at + name.size() >= text.size() || !part_of_name(text[at + name.size()]);
    if (begins && ends) return at;
  }
  return 0;
}

std::string bracketed(const Node& table) {
  return table.path.empty() ? "at the top level" : "in [" + table.path + "]";
}

struct RangeInfo {
  bool (*inside)(double);
  std::string_view text;
};

constexpr std::array<RangeInfo, 4> kRanges{
    {{[](double v) { return v >= 0; }, "must not be negative"},
     {[](double v) { return v > 0; }, "must be above 0"},
     {[](double v) { return v >= 0 && v <= 1; }, "must lie between 0 and 1"},
     {[](double v) { return v > 0 && v <= 1; }, "must be above 0 and at most 1"}}};

}  // namespace

void Reader::fail(Position at, std::string message) {
  if (errors_.size() < kMaxErrors) errors_.push_back({file_, at.line, at.column, std::move(message)});
}

void Reader::fail_inside(const Node& string, std::size_t offset, std::string message) {
  if (errors_.size() < kMaxErrors) fail(inside_string(text_, string, offset), std::move(message));
}

std::vector<ContractError> Reader::errors() const {
  std::vector<ContractError> sorted = errors_;
  const auto key = [](const ContractError& e) { return std::tie(e.line, e.column, e.message); };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const ContractError& a, const ContractError& b) { return key(a) < key(b); });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

bool Reader::expect(const Node& node, NodeKind kind) {
  if (node.kind == kind) return true;
  fail(node, node.path + " must be " + std::string(article_and_name(kind)) + ", not " +
                 std::string(article_and_name(node.kind)));
  return false;
}

bool Reader::read(const Node& node, std::string& out) {
  if (!expect(node, NodeKind::string)) return false;
  if (node.text.empty() || node.text.find('\0') != std::string::npos) {
    fail(node, node.path + (node.text.empty() ? " is empty" : " holds a NUL character"));
    return false;
  }
  out = node.text;
  return true;
}

bool Reader::read(const Node& node, bool& out) {
  if (!expect(node, NodeKind::boolean)) return false;
  out = node.boolean;
  return true;
}

bool Reader::read(const Node& node, std::int64_t& out) {
  if (!expect(node, NodeKind::integer)) return false;
  out = node.integer;
  return true;
}

bool Reader::read_any(const Node& node, double& out) {
  if (node.kind != NodeKind::integer && !expect(node, NodeKind::real)) return false;
  out = node.kind == NodeKind::integer ? static_cast<double>(node.integer) : node.real;
  return true;
}

bool Reader::read(const Node& node, double& out) {
  double value = 0.0;
  if (!read_any(node, value)) return false;
  if (!std::isfinite(value)) {
    fail(node, node.path + " must be finite");
    return false;
  }
  out = value;
  return true;
}

bool Reader::read(const Node& node, std::vector<std::string>& out) {
  if (!expect(node, NodeKind::array)) return false;
  bool good = true;
  for (const Node& item : node.items) {
    std::string text;
    good = read(item, text) && good;
    out.push_back(std::move(text));
  }
  return good;
}

bool Reader::check_axes(const Node& node, const std::vector<std::string>& names) {
  bool good = true;
  const std::vector<std::string_view> known(axis_names.begin(), axis_names.end());
  for (const std::string& name : names) {
    if (axis_names.contains(name)) continue;
    fail_inside(node, find_name(node.text, name), unknown_word("axis", name, known) + " (in " + node.path + ")");
    good = false;
  }
  return good;
}

template <class Parsed>
bool Reader::read_parsed(const Node& node, Parsed& out) {
  auto parsed = Parsed::parse(node.text);
  if (const auto* error = std::get_if<ExprError>(&parsed)) {
    fail_inside(node, error->offset, node.path + ": " + error->message);
    return false;
  }
  out = std::get<Parsed>(std::move(parsed));
  return check_axes(node, out.names());
}

bool Reader::read(const Node& node, Expression& out) {
  if (node.kind == NodeKind::integer) {
    out = Expression::constant(node.integer);
    return true;
  }
  if (node.kind == NodeKind::string) return read_parsed(node, out);
  fail(node,
       node.path + " must be an integer or an expression over axes, not " + std::string(article_and_name(node.kind)));
  return false;
}

bool Reader::read(const Node& node, Constraint& out) {
  return expect(node, NodeKind::string) && read_parsed(node, out);
}

bool Reader::read(const Node& node, std::vector<Expression>& out) {
  if (!expect(node, NodeKind::array)) return false;
  bool good = true;
  for (const Node& item : node.items) {
    Expression value;
    good = read(item, value) && good;
    out.push_back(std::move(value));
  }
  return good;
}

std::string clip(std::string_view text) {
  if (text.size() <= kMaxShown) return std::string(text);
  std::size_t end = kMaxShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string unknown_word(std::string_view what, std::string_view word, std::span<const std::string_view> known) {
  const std::string message = "unknown " + std::string(what) + " '" + clip(word) + "'";
  if (known.size() > kMaxListed) return message;
  const std::string near = word.size() > kMaxShown ? "" : did_you_mean(word, known);
  if (!near.empty()) return message + near;
  if (known.empty()) return message + ": there is none";
  std::string list;
  for (std::string_view each : known) list += (list.empty() ? "" : ", ") + clip(each);
  return message + "; known: " + list;
}

bool check_keys(Reader& reader, const Node& node, std::span<const KeyName> keys) {
  if (!reader.expect(node, NodeKind::table)) return false;
  std::vector<std::string_view> known;
  for (const KeyName& key : keys) known.push_back(key.name);
  for (const Member& member : node.members) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    reader.fail(member.at, unknown_word("key", member.key, known) + " (" + bracketed(node) + ")");
  }
  for (const KeyName& key : keys) {
    if (key.need == Need::required && !node.find(key.name)) {
      reader.fail(node, "missing key '" + std::string(key.name) + "' " + bracketed(node));
    }
  }
  return true;
}

bool check_range(Reader& reader, const Node& node, double value, Range range) {
  const RangeInfo& info = kRanges[static_cast<std::size_t>(range)];
  if (info.inside(value)) return true;
  reader.fail(node, node.path + " " + std::string(info.text));
  return false;
}

}  // namespace assay::contract
