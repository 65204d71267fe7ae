#include <algorithm>

#include "contract/bind.h"
#include "contract/returns.h"
#include "contract/sections.h"
#include "contract/table.h"
#include "contract/words.h"

namespace assay::contract {
namespace {

/// The keys of [entry] as they stand for one subject: its own, else those of [entry].
struct EntryNodes {
  const Node* table = nullptr;  ///< for messages about what is missing
  const Node *abi = nullptr, *prototype = nullptr, *symbol = nullptr, *returns = nullptr, *args = nullptr,
             *success = nullptr, *launch = nullptr;
};

struct EntryKey {
  std::string_view name;
  const Node* EntryNodes::*slot;
};

constexpr std::array<EntryKey, 7> kEntryKeys{{{"abi", &EntryNodes::abi},
                                              {"prototype", &EntryNodes::prototype},
                                              {"symbol", &EntryNodes::symbol},
                                              {"returns", &EntryNodes::returns},
                                              {"args", &EntryNodes::args},
                                              {"success", &EntryNodes::success},
                                              {"launch", &EntryNodes::launch}}};

/// Key by key; but a prototype says name, result and arguments at once, so one form of saying them replaces the other.
EntryNodes overridden(EntryNodes nodes, const Node& table) {
  if (table.find("prototype")) nodes.symbol = nodes.returns = nodes.args = nullptr;
  if (table.find("args")) nodes.prototype = nullptr;
  for (const EntryKey& key : kEntryKeys) {
    const Node* own = table.find(key.name);
    if (own) nodes.*key.slot = own;
  }
  nodes.table = &table;
  return nodes;
}

bool overrides(const Node& table) {
  return std::any_of(kEntryKeys.begin(), kEntryKeys.end(), [&](const EntryKey& key) { return table.find(key.name); });
}

bool is_module(Abi abi) {
  return abi == Abi::cuda_module || abi == Abi::hip_module;
}
bool names_no_types(Abi abi) {
  return abi == Abi::tvm_ffi || abi == Abi::python;
}

constexpr std::array<Key<Launch>, 4> kLaunchKeys{{{"grid", field<&Launch::grid>, Need::required},
                                                  {"block", field<&Launch::block>, Need::required},
                                                  {"cluster", field<&Launch::cluster>},
                                                  {"shared", field<&Launch::shared>}}};

void check_dimensions(Reader& reader, const Node& launch) {
  for (std::string_view key : {"grid", "block", "cluster"}) {
    const Node* sizes = launch.find(key);
    if (sizes && sizes->kind == NodeKind::array && (sizes->items.empty() || sizes->items.size() > 3)) {
      reader.fail(*sizes, sizes->path + " must have one to three entries");
    }
  }
}

void read_launch(Reader& reader, const EntryNodes& nodes, Entry& entry) {
  if (!is_module(entry.abi)) {
    if (nodes.launch) reader.fail(*nodes.launch, nodes.launch->path + " is only for cuda-module and hip-module");
    return;
  }
  if (!nodes.launch) {
    return reader.fail(*nodes.table,
                       "missing [entry.launch]: a module needs grid and block (for [" + nodes.table->path + "])");
  }
  Launch launch;
  if (read_table(reader, *nodes.launch, kLaunchKeys, launch)) check_dimensions(reader, *nodes.launch);
  entry.launch = std::move(launch);
}

void set_returns(Entry& entry, const std::optional<Returns>& returns) {
  if (!returns) return;
  entry.returns = returns->kind;
  entry.return_type = returns->type;
  entry.return_tensor = returns->tensor;
}

void read_prototype(Reader& reader, const EntryNodes& nodes, Entry& entry) {
  if (!reader.read(*nodes.prototype, entry.prototype)) return;
  const Prototype prototype = parse_prototype(entry.prototype);
  for (const PrototypeError& error : prototype.errors) {
    reader.fail_inside(*nodes.prototype, error.offset, "prototype: " + error.message);
  }
  if (entry.symbol.empty()) entry.symbol = prototype.name;
  if (prototype.returns_known) {
    set_returns(entry, returns_of(reader, *nodes.prototype, prototype, nodes.returns, entry.abi));
  }
  entry.args = bind_prototype(reader, *nodes.prototype, prototype);
}

void read_arguments(Reader& reader, const EntryNodes& nodes, Entry& entry) {
  if (nodes.returns) set_returns(entry, read_returns(reader, *nodes.returns, entry.abi));
  if (nodes.args) {
    entry.args = bind_list(reader, *nodes.args, !names_no_types(entry.abi));
  } else if (names_no_types(entry.abi)) {
    entry.args = bind_default(reader.contract, entry.returns != ReturnKind::tensors);
  } else {
    reader.fail(*nodes.table, "missing key 'prototype' (or 'symbol' and 'args') in [" + nodes.table->path + "]");
  }
}

void read_symbol(Reader& reader, const EntryNodes& nodes, Entry& entry) {
  constexpr std::string_view kTvmDefault = "__tvm_ffi_main";
  if (nodes.symbol) {
    reader.read(*nodes.symbol, entry.symbol);
  } else if (entry.abi == Abi::tvm_ffi && !nodes.prototype) {
    entry.symbol = kTvmDefault;
  } else if (!nodes.prototype && (nodes.args || entry.abi == Abi::python)) {
    reader.fail(*nodes.table, "missing key 'symbol' in [" + nodes.table->path + "]");
  }
}

void read_success(Reader& reader, const EntryNodes& nodes, Entry& entry) {
  if (is_status(entry.returns)) entry.success = 0;
  if (!nodes.success) return;
  std::int64_t value = 0;
  if (!reader.read(*nodes.success, value)) return;
  const bool inherited = nodes.table->find("success") == nullptr;
  if (!is_status(entry.returns) && inherited) return;
  if (!is_status(entry.returns)) {
    return reader.fail(*nodes.success, nodes.success->path + ": the function returns no status; leave 'success' out");
  }
  entry.success = value;
}

/// Every tensor must reach the subject, and each output must be able to come back.
void check_used(Reader& reader, const Node& root, const EntryNodes& nodes, const Entry& entry) {
  const Node* tensors = root.find("tensors");
  if (!tensors) return;
  for (const Member& member : tensors->members) {
    if (reader.misnamed.contains(member.key)) continue;
    const Tensor* tensor = reader.contract.find_tensor(member.key);
    const bool passed = std::any_of(entry.args.begin(), entry.args.end(), [&](const Argument& argument) {
      return argument.kind == ArgKind::tensor && argument.name == member.key;
    });
    const bool returned = entry.return_tensor == member.key ||
                          (entry.returns == ReturnKind::tensors && tensor && tensor->role == Role::out);
    if (passed && returned && entry.returns == ReturnKind::element) {
      reader.fail(*nodes.table, "tensor '" + clip(member.key) + "' is both an argument and the value returned");
    }
    if (passed || returned) continue;
    reader.fail(member.at, "tensor '" + clip(member.key) + "' is passed by no argument of [" + nodes.table->path + "]");
  }
}

Entry build(Reader& reader, const Node& root, const EntryNodes& nodes) {
  Entry entry;
  const std::size_t before = reader.error_count();
  if (nodes.abi) entry.abi = read_word(reader, *nodes.abi, kAbis).value_or(Abi::c);
  read_symbol(reader, nodes, entry);
  if (nodes.prototype) {
    read_prototype(reader, nodes, entry);
  } else {
    read_arguments(reader, nodes, entry);
  }
  if (reader.error_count() == before) read_success(reader, nodes, entry);
  read_launch(reader, nodes, entry);
  // An argument that could not be bound would make its tensor look unused.
  if (reader.error_count() == before) check_used(reader, root, nodes, entry);
  return entry;
}

/// Prototype and arguments say the same thing twice.
void check_one_form(Reader& reader, const Node& table) {
  const Node* args = table.find("args");
  if (args && table.find("prototype")) reader.fail(*args, table.path + ": either 'prototype' or 'args', not both");
}

constexpr std::size_t kSubjectKeys = kEntryKeys.size() + 2;

/// The names that a table about a subject may have: [entry]'s alone, or with path and with.
bool check_subject(Reader& reader, const Node& table, std::size_t own) {
  constexpr std::array<KeyName, kSubjectKeys> kNames{{{"path", Need::optional},
                                                      {"with", Need::optional},
                                                      {"abi", Need::optional},
                                                      {"prototype", Need::optional},
                                                      {"symbol", Need::optional},
                                                      {"returns", Need::optional},
                                                      {"args", Need::optional},
                                                      {"success", Need::optional},
                                                      {"launch", Need::optional}}};
  if (!check_keys(reader, table, std::span(kNames).subspan(2 - own))) return false;
  check_one_form(reader, table);
  return true;
}

/// The parts of the file that describe subjects, with what they have in common.
class Subjects {
 public:
  Subjects(Reader& reader, const Node& root) : reader_(reader), root_(root) {}

  void read_entry() {
    const Node* table = root_.find("entry");
    if (!table || !check_subject(reader_, *table, 0)) return;
    base_ = overridden({}, *table);
    base_entry_ = build(reader_, root_, base_);
    reader_.contract.entry = base_entry_;
  }

  SubjectSpec read(const Node* table) {
    SubjectSpec subject;
    subject.entry = base_entry_;
    if (!table || !check_subject(reader_, *table, 2)) return subject;
    if (const Node* path = table->find("path")) reader_.read(*path, subject.path);
    if (const Node* with = table->find("with")) reader_.read(*with, subject.with);
    if (base_.table && overrides(*table)) subject.entry = build(reader_, root_, overridden(base_, *table));
    return subject;
  }

 private:
  Reader& reader_;
  const Node& root_;
  EntryNodes base_;
  Entry base_entry_;
};

/// Who the keys of [speed] need to know about.
struct SpeedContext {
  Speed speed;
  const Node* baseline = nullptr;
};

void read_baseline(Reader& reader, const Node& node, SpeedContext& out) {
  if (node.kind == NodeKind::table) {
    if (!node.find("path")) reader.fail(node, "missing key 'path' in [" + node.path + "]");
    out.baseline = &node;
  } else if (node.kind != NodeKind::string || node.text != "reference") {
    reader.fail(node, node.path + " must be \"reference\" or { path = …, symbol = … }");
  }
}

template <auto kMember, Range kRange>
void speed_number(Reader& reader, const Node& node, SpeedContext& out) {
  number<kMember, kRange>(reader, node, out.speed);
}

void read_regime(Reader& reader, const Node& node, SpeedContext& out) {
  word<&Speed::regime, kRegimes>(reader, node, out.speed);
}

constexpr std::array<Key<SpeedContext>, 4> kSpeedKeys{
    {{"baseline", read_baseline},
     {"min_speedup", speed_number<&Speed::min_speedup, Range::positive>},
     {"min_speedup_each", speed_number<&Speed::min_speedup_each, Range::positive>},
     {"regime", read_regime}}};

}  // namespace

void read_subjects(Reader& reader, const Node& root) {
  Subjects subjects(reader, root);
  subjects.read_entry();
  const Node* reference = root.find("reference");
  if (reference) reader.contract.reference = subjects.read(reference);
  reader.contract.candidate = subjects.read(root.find("candidate"));
  SpeedContext context;
  const Node* speed = root.find("speed");
  if (speed) read_table(reader, *speed, kSpeedKeys, context);
  reader.contract.speed = context.speed;
  if (context.baseline) reader.contract.speed.baseline = subjects.read(context.baseline);
}

}  // namespace assay::contract
