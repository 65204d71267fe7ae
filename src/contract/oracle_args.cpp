#include <algorithm>

#include "contract/sections.h"
#include "core/oracle.h"

namespace assay::contract {
namespace {

const Oracle* find(const std::vector<Oracle>& all, std::string_view id) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const Oracle& each) { return each.id == id; });
  return it == all.end() ? nullptr : &*it;
}

template <class Items, class Name>
std::vector<std::string_view> names_in(const Items& items, Name&& name) {
  std::vector<std::string_view> names;
  for (const auto& item : items) names.push_back(name(item));
  return names;
}

/// Why an argument can't be bound to this; empty if it can.
std::string unfit_binding(const Reader& reader, const OracleArg& arg, const OracleBinding& binding) {
  const bool tensor = binding.kind == ArgKind::tensor;
  if (arg.kind == OracleArgKind::scalar)
    return tensor ? "is a number: bind an axis, a param or \"const <literal>\"" : "";
  if (!tensor) return "is a tensor";
  const Tensor* bound = reader.contract.find_tensor(binding.name);
  if (!bound || reader.broken.contains(binding.name)) return {};
  const bool in = bound->role == Role::in || bound->role == Role::inout;
  const bool out = bound->role == Role::out || bound->role == Role::inout;
  if (arg.kind == OracleArgKind::input && !in) return "is an input, but tensor '" + binding.name + "' is none";
  if (arg.kind != OracleArgKind::input && !out) return "is an output, but tensor '" + binding.name + "' is none";
  return {};
}

void check_binding(Reader& reader, const Oracle& oracle, const Node& bind, const OracleBinding& binding) {
  const auto member = std::find_if(bind.members.begin(), bind.members.end(),
                                   [&](const Member& each) { return each.key == binding.argument; });
  const auto arg = std::find_if(oracle.args.begin(), oracle.args.end(),
                                [&](const OracleArg& each) { return each.name == binding.argument; });
  if (arg == oracle.args.end()) {
    const std::string what = "argument of oracle " + std::string(oracle.id);
    return reader.fail(member->at, unknown_word(what, binding.argument,
                                                names_in(oracle.args, [](const OracleArg& a) { return a.name; })));
  }
  const std::string why = unfit_binding(reader, *arg, binding);
  if (!why.empty())
    reader.fail(member->value, "argument '" + binding.argument + "' of oracle " + std::string(oracle.id) + " " + why);
}

void check_missing(Reader& reader, const Oracle& oracle, const OracleSpec& spec, const Node& place) {
  std::string missing;
  for (const OracleArg& arg : oracle.args) {
    const bool bound = std::any_of(spec.bind.begin(), spec.bind.end(),
                                   [&](const OracleBinding& each) { return each.argument == arg.name; });
    if (arg.required && !bound) missing += (missing.empty() ? "'" : ", '") + std::string(arg.name) + "'";
  }
  if (!missing.empty()) reader.fail(place, "oracle.bind lacks " + missing + " of oracle " + std::string(oracle.id));
}

}  // namespace

void check_oracle(Reader& reader, const Node& node) {
  const std::vector<Oracle> all = Registry<Oracle>::all();
  const OracleSpec& spec = *reader.contract.oracle;
  if (all.empty() || spec.builtin.empty()) return;  // a program without oracles can read contracts too
  const Oracle* oracle = find(all, spec.builtin);
  if (!oracle) {
    return reader.fail(*node.find("builtin"),
                       unknown_word("oracle", spec.builtin, names_in(all, [](const Oracle& o) { return o.id; })));
  }
  const Node* bind = node.find("bind");
  for (const OracleBinding& binding : spec.bind) check_binding(reader, *oracle, *bind, binding);
  check_missing(reader, *oracle, spec, bind ? *bind : node);
}

}  // namespace assay::contract
