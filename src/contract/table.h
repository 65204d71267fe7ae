#pragma once
#include <array>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "contract/reader.h"

/// Tables of a contract as data: one row per key. `field`, `word` and `number` make the readers of plain members.
namespace assay::contract {

enum class Need : std::uint8_t { optional, required };

template <class T>
struct Key {
  std::string_view name;
  void (*read)(Reader&, const Node&, T&);
  Need need = Need::optional;
};

/// What check_keys needs to know of a key.
struct KeyName {
  std::string_view name;
  Need need;
};

/// Reports unknown keys and missing ones, or that `node` is no table (then false).
bool check_keys(Reader& reader, const Node& node, std::span<const KeyName> keys);

/// Reads the keys that a table has into `out`. False: it is no table.
template <class T>
bool read_table(Reader& reader, const Node& node, std::span<const Key<T>> keys, T& out) {
  std::vector<KeyName> names;
  for (const Key<T>& key : keys) names.push_back({key.name, key.need});
  if (!check_keys(reader, node, names)) return false;
  for (const Key<T>& key : keys) {
    const Node* value = node.find(key.name);
    if (value) key.read(reader, *value, out);
  }
  return true;
}

template <class T, std::size_t N>
bool read_table(Reader& reader, const Node& node, const std::array<Key<T>, N>& keys, T& out) {
  return read_table(reader, node, std::span<const Key<T>>(keys), out);
}

/// A key that was read elsewhere.
template <class T>
void known(Reader&, const Node&, T&) {}

template <class T, class V>
T owner_of(V T::*);
template <auto kMember>
using Owner = decltype(owner_of(kMember));

/// A key that is one member of its struct.
template <auto kMember>
void field(Reader& reader, const Node& node, Owner<kMember>& out) {
  reader.read(node, out.*kMember);
}

/// A key whose value is one of the words of a table.
template <auto kMember, const auto& kTable>
void word(Reader& reader, const Node& node, Owner<kMember>& out) {
  const auto value = read_word(reader, node, kTable);
  if (value) out.*kMember = *value;
}

/// Which numbers a key takes.
enum class Range : std::uint8_t { not_negative, positive, share, positive_share };

/// False after a report if `value` lies outside.
bool check_range(Reader& reader, const Node& node, double value, Range range);

template <class T>
struct PlainOf {
  using Type = T;
};
template <class T>
struct PlainOf<std::optional<T>> {
  using Type = T;
};
template <class T>
using Plain = typename PlainOf<T>::Type;

/// A key that is a bounded number.
template <auto kMember, Range kRange>
void number(Reader& reader, const Node& node, Owner<kMember>& out) {
  using Value = std::remove_reference_t<decltype(out.*kMember)>;
  Plain<Value> value{};
  if (reader.read(node, value) && check_range(reader, node, static_cast<double>(value), kRange)) out.*kMember = value;
}

/// A key whose value is a table of its own.
template <auto kMember, const auto& kKeys>
void subtable(Reader& reader, const Node& node, Owner<kMember>& out) {
  read_table(reader, node, kKeys, out.*kMember);
}

}  // namespace assay::contract
