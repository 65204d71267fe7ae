#include <charconv>
#include <cmath>

#include "contract/sections.h"
#include "contract/table.h"

namespace assay::contract {
namespace {

constexpr std::string_view kConst = "const ";

std::optional<ArgKind> kind_of(const Reader& reader, const std::string& name) {
  if (reader.tensor_names.contains(name)) return ArgKind::tensor;
  if (reader.axis_names.contains(name)) return ArgKind::axis;
  if (reader.param_names.contains(name)) return ArgKind::param;
  return std::nullopt;
}

void bind(Reader& reader, const Member& member, OracleSpec& out) {
  OracleBinding binding;
  binding.argument = member.key;
  if (!reader.read(member.value, binding.name)) return;
  if (binding.name.starts_with(kConst)) {
    const std::string_view digits = std::string_view(member.value.text).substr(kConst.size());
    const auto value = read_literal(reader, member.value, digits, kConst.size());
    if (!value) return;
    binding.kind = ArgKind::literal;
    binding.name.clear();
    binding.literal = *value;
  } else if (const auto kind = kind_of(reader, binding.name)) {
    binding.kind = *kind;
  } else {
    std::vector<std::string_view> known(reader.tensor_names.begin(), reader.tensor_names.end());
    known.insert(known.end(), reader.axis_names.begin(), reader.axis_names.end());
    known.insert(known.end(), reader.param_names.begin(), reader.param_names.end());
    return reader.fail(member.value, unknown_word("tensor, axis or param", binding.name, known) + " (in " +
                                         member.value.path + "; a number is written \"const 1.5\")");
  }
  out.bind.push_back(std::move(binding));
}

void read_bind(Reader& reader, const Node& node, OracleSpec& out) {
  if (!reader.expect(node, NodeKind::table)) return;
  for (const Member& member : node.members) bind(reader, member, out);
}

void read_options(Reader& reader, const Node& node, OracleSpec& out) {
  if (!reader.expect(node, NodeKind::table)) return;
  for (const Member& member : node.members) {
    const Node& value = member.value;
    if (value.kind == NodeKind::integer) {
      out.options[member.key] = std::to_string(value.integer);
    } else if (value.kind == NodeKind::boolean) {
      out.options[member.key] = value.boolean ? "true" : "false";
    } else {
      reader.read(value, out.options[member.key]);
    }
  }
}

constexpr std::array<Key<OracleSpec>, 4> kOracleKeys{{{"builtin", field<&OracleSpec::builtin>},
                                                      {"path", field<&OracleSpec::path>},
                                                      {"bind", read_bind},
                                                      {"options", read_options}}};

}  // namespace

std::optional<double> read_literal(Reader& reader, const Node& node, std::string_view text, std::size_t offset) {
  double value = 0.0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc() && end == text.data() + text.size()) return value;
  reader.fail_inside(node, offset, "'" + clip(text) + "' is no number (in " + node.path + ")");
  return std::nullopt;
}

void read_oracle(Reader& reader, const Node& node) {
  OracleSpec oracle;
  const std::size_t before = reader.error_count();
  if (read_table(reader, node, kOracleKeys, oracle) && !node.find("builtin") == !node.find("path")) {
    reader.fail(node, node.path + " needs 'builtin' or 'path', one of them");
  }
  reader.contract.oracle = std::move(oracle);
  if (reader.error_count() == before) check_oracle(reader, node);
}

}  // namespace assay::contract
