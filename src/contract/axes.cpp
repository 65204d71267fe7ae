#include <algorithm>
#include <charconv>

#include "contract/sections.h"
#include "contract/table.h"
#include "contract/words.h"

namespace assay::contract {
namespace {

constexpr std::size_t kMaxSizes = 65536;
constexpr std::size_t kMaxAxes = 256;

enum class AxisKind : std::uint8_t { var, constant };
constexpr std::array<Word<AxisKind>, 2> kAxisKinds{{{"var", AxisKind::var}, {"const", AxisKind::constant}}};

struct AxisFields {
  std::optional<std::int64_t> value, min, max;
  std::int64_t multiple_of = 1;
  std::vector<std::int64_t> values;
};

bool add_size(Reader& reader, const Node& node, std::int64_t size, std::vector<std::int64_t>& sizes) {
  if (size < 0) {
    reader.fail(node, node.path + ": a size must not be negative");
    return false;
  }
  if (sizes.size() >= kMaxSizes) {
    reader.fail(node, node.path + ": more than " + std::to_string(kMaxSizes) + " sizes; use min, max and multiple_of");
    return false;
  }
  sizes.push_back(size);
  return true;
}

/// "256:4096:256" as start, stop and step.
std::optional<std::array<std::int64_t, 3>> parse_range(std::string_view text) {
  std::array<std::int64_t, 3> parts{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [next, code] = std::from_chars(at, end, parts[i]);
    const bool last = i + 1 == parts.size();
    if (code != std::errc() || (last ? next != end : next == end || *next != ':')) return std::nullopt;
    at = next + (last ? 0 : 1);
  }
  return parts;
}

void add_range(Reader& reader, const Node& node, std::vector<std::int64_t>& sizes) {
  const auto range = parse_range(node.text);
  if (!range || (*range)[2] <= 0 || (*range)[0] > (*range)[1]) {
    reader.fail(node, node.path + ": '" + clip(node.text) +
                          "' is no range: write \"start:stop:step\" with start <= stop and step > 0");
    return;
  }
  const auto [start, stop, step] = *range;
  for (std::int64_t size = start; add_size(reader, node, size, sizes) && step <= stop - size;) size += step;
}

void read_sizes(Reader& reader, const Node& node, AxisFields& out) {
  if (!reader.expect(node, NodeKind::array)) return;
  if (node.items.empty()) reader.fail(node, node.path + " is empty");
  for (const Node& item : node.items) {
    if (item.kind == NodeKind::string) {
      add_range(reader, item, out.values);
    } else if (item.kind == NodeKind::integer) {
      add_size(reader, item, item.integer, out.values);
    } else {
      reader.fail(item, item.path + " must be an integer or \"start:stop:step\"");
    }
  }
  std::sort(out.values.begin(), out.values.end());
  out.values.erase(std::unique(out.values.begin(), out.values.end()), out.values.end());
}

constexpr std::array<Key<AxisFields>, 5> kVarKeys{{{"kind", known<AxisFields>},
                                                   {"min", number<&AxisFields::min, Range::not_negative>},
                                                   {"max", number<&AxisFields::max, Range::not_negative>},
                                                   {"multiple_of", number<&AxisFields::multiple_of, Range::positive>},
                                                   {"values", read_sizes}}};

constexpr std::array<Key<AxisFields>, 2> kConstKeys{
    {{"kind", known<AxisFields>}, {"value", number<&AxisFields::value, Range::not_negative>, Need::required}}};

void fill_bounds(const AxisFields& fields, Axis& axis) {
  if (fields.values.empty()) {
    axis.min = fields.min.value_or(0);
    axis.max = fields.max.value_or(axis.min);
    return;
  }
  axis.min = fields.min.value_or(fields.values.front());
  axis.max = fields.max.value_or(fields.values.back());
  axis.values = fields.values;
}

/// Empty if the axis has at least one size and no contradiction.
std::string domain_problem(const Axis& axis) {
  if (axis.min > axis.max) return "min " + std::to_string(axis.min) + " is above max " + std::to_string(axis.max);
  for (std::int64_t size : axis.values) {
    if (size < axis.min || size > axis.max) return "size " + std::to_string(size) + " lies outside min and max";
    if (size % axis.multiple_of != 0) {
      return "size " + std::to_string(size) + " is not a multiple of " + std::to_string(axis.multiple_of);
    }
  }
  if (axis.values.empty() && axis.max / axis.multiple_of * axis.multiple_of < axis.min) {
    return "no multiple of " + std::to_string(axis.multiple_of) + " lies between min and max";
  }
  return {};
}

void read_var(Reader& reader, const Node& node, Axis& axis) {
  const std::size_t before = reader.error_count();
  AxisFields fields;
  read_table(reader, node, kVarKeys, fields);
  for (std::string_view bound : {"min", "max"}) {
    if (node.find("values") || node.find(bound)) continue;
    reader.fail(node,
                "missing key '" + std::string(bound) + "' in [" + node.path + "] (or list its sizes in 'values')");
  }
  axis.multiple_of = fields.multiple_of;
  if (reader.error_count() != before) return;
  fill_bounds(fields, axis);
  const std::string problem = domain_problem(axis);
  if (!problem.empty()) reader.fail(node, node.path + ": " + problem);
}

void read_const(Reader& reader, const Node& node, Axis& axis) {
  AxisFields fields;
  read_table(reader, node, kConstKeys, fields);
  axis.constant = true;
  axis.min = axis.max = fields.value.value_or(0);
}

void read_axis(Reader& reader, const Member& member, Axis& axis) {
  if (!reader.expect(member.value, NodeKind::table)) return;
  const Node* kind = member.value.find("kind");
  if (!kind) {
    reader.fail(member.value, "missing key 'kind' in [" + member.value.path + "]: \"var\" or \"const\"");
    return;
  }
  const auto known_kind = read_word(reader, *kind, kAxisKinds);
  if (!known_kind) return;
  (*known_kind == AxisKind::constant ? read_const : read_var)(reader, member.value, axis);
}

}  // namespace

void read_axes(Reader& reader, const Node& node) {
  if (!reader.expect(node, NodeKind::table)) return;
  for (const Member& member : node.members) {
    if (reader.contract.axes.size() == kMaxAxes) {
      return reader.fail(member.at, "more than " + std::to_string(kMaxAxes) + " axes");
    }
    Axis axis;
    axis.name = member.key;
    read_axis(reader, member, axis);
    reader.contract.axes.push_back(std::move(axis));
  }
}

}  // namespace assay::contract
