#include "reports/case_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/error.h"

/// Theory of operation. Each struct lists its fields once (`fields`); a Saver or a Loader walks the list. What is read
/// comes from a file that anybody may have edited: every number is checked before it is used as an index or a count.
namespace assay::reports {
namespace {

using nlohmann::json;

constexpr std::size_t kMostCalls = 4096;

[[noreturn]] void refuse(const std::string& what) {
  throw Error("the finding's case can't be read: " + what, Exit::kUsage);
}

/// In the order of ValueEdit.
constexpr std::array<std::string_view, std::variant_size_v<ValueEdit>> kEditNames{
    "scale",    "negate",   "set-element", "reshuffle", "nudge",   "scale-blocks", "scale-tail", "zero-blocks",
    "sprinkle", "one-sign", "clamp",       "sort",      "tie",     "cancel",       "diagonal",   "low-rank",
    "permute",  "one-run",  "round",       "integers",  "one-hot", "zero-tail",    "flush"};

json save(bool value) {
  return value;
}
json save(int value) {
  return value;
}
json save(std::uint32_t value) {
  return value;
}
json save(std::int64_t value) {
  return value;
}
json save(std::uint64_t value) {
  std::array<char, 16> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, 16).ptr;
  return std::string(text.data(), end);
}
json save(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}
json save(const std::string& value) {
  return value;
}
template <class T>
requires std::is_enum_v<T> json save(T value) {
  return static_cast<int>(value);
}

template <class T>
void load_number(const json& from, T& value) {
  if (!from.is_number_integer()) refuse("an integer is missing");
  const auto number = from.get<std::int64_t>();
  if (number < static_cast<std::int64_t>(std::numeric_limits<T>::min()) ||
      number > static_cast<std::int64_t>(std::numeric_limits<T>::max())) {
    refuse("a number is out of range");
  }
  value = static_cast<T>(number);
}

void load(const json& from, bool& value) {
  if (!from.is_boolean()) refuse("true or false is missing");
  value = from;
}
void load(const json& from, int& value) {
  load_number(from, value);
}
void load(const json& from, std::uint32_t& value) {
  load_number(from, value);
}
void load(const json& from, std::int64_t& value) {
  load_number(from, value);
}
void load(const json& from, std::string& value) {
  if (!from.is_string()) refuse("a text is missing");
  value = from;
}
void load(const json& from, std::uint64_t& value) {
  std::string text;
  load(from, text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) refuse("'" + text + "' is no hexadecimal number");
}
void load(const json& from, double& value) {
  if (from.is_number()) {
    value = from;
  } else if (from == "NaN") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (from == "Infinity" || from == "-Infinity") {
    value = from == "Infinity" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  } else {
    refuse("a number is missing");
  }
}

template <class T>
constexpr int kLast = 0;
template <>
constexpr int kLast<Poison> = static_cast<int>(Poison::other_answer);
template <>
constexpr int kLast<RelationKind> = static_cast<int>(RelationKind::power_of_two);
template <>
constexpr int kLast<Stress> = static_cast<int>(Stress::cramped);
template <>
constexpr int kLast<Lifetime> = static_cast<int>(Lifetime::serving);

template <class T>
requires std::is_enum_v<T>
void load(const json& from, T& value) {
  int number = 0;
  load_number(from, number);
  if (number < 0 || number > kLast<T>) refuse("a kind is out of range");
  value = static_cast<T>(number);
}

struct Saver {
  json& to;
  template <class T>
  void operator()(const char* key, T& value) const;
};
struct Loader {
  const json& from;
  template <class T>
  void operator()(const char* key, T& value) const;
};

// clang-format off
template <class A> void fields(A a, ScaleEdit& e) { a("exponent", e.exponent); }
template <class A> void fields(A, NegateEdit&) {}
template <class A> void fields(A a, SetElementEdit& e) { a("where", e.where); a("value", e.value); }
template <class A> void fields(A a, ReshuffleEdit& e) { a("key", e.key); }
template <class A> void fields(A a, NudgeEdit& e) { a("key", e.key); }
template <class A> void fields(A a, ScaleBlocksEdit& e) {
  a("rows", e.rows); a("columns", e.columns); a("from", e.from); a("to", e.to); a("key", e.key);
}
template <class A> void fields(A a, ScaleTailEdit& e) { a("first", e.first); a("exponent", e.exponent); }
template <class A> void fields(A a, ZeroBlocksEdit& e) {
  a("rows", e.rows); a("columns", e.columns); a("share", e.share); a("key", e.key);
}
template <class A> void fields(A a, SprinkleEdit& e) { a("values", e.values); a("share", e.share); a("key", e.key); }
template <class A> void fields(A a, SignEdit& e) { a("negative", e.negative); }
template <class A> void fields(A a, ClampEdit& e) { a("low", e.low); a("high", e.high); }
template <class A> void fields(A a, SortEdit& e) { a("descending", e.descending); }
template <class A> void fields(A a, TieEdit& e) { a("levels", e.levels); a("key", e.key); }
template <class A> void fields(A, CancelEdit&) {}
template <class A> void fields(A, DiagonalEdit&) {}
template <class A> void fields(A a, LowRankEdit& e) { a("rank", e.rank); a("key", e.key); }
template <class A> void fields(A a, PermuteEdit& e) { a("key", e.key); }
template <class A> void fields(A a, OneRunEdit& e) { a("where", e.where); }
template <class A> void fields(A a, RoundEdit& e) { a("bits", e.bits); a("toward_zero", e.toward_zero); }
template <class A> void fields(A a, IntegersEdit& e) { a("low", e.low); a("high", e.high); a("key", e.key); }
template <class A> void fields(A a, OneHotEdit& e) {
  a("bits", e.bits); a("exponent", e.exponent); a("both_signs", e.both_signs); a("key", e.key);
}
template <class A> void fields(A a, ZeroTailEdit& e) { a("share", e.share); }
template <class A> void fields(A, FlushEdit&) {}
template <class A> void fields(A a, TensorPlan& p) { a("draw", p.draw); a("edits", p.edits); }
template <class A> void fields(A a, Relation& r) { a("kind", r.kind); a("first", r.first); a("second", r.second); }
template <class A> void fields(A a, CallPlan& p) {
  a("axes", p.axes); a("values", p.values); a("places", p.places); a("params", p.params); a("shifts", p.shifts);
  a("poison", p.poison); a("typical", p.typical); a("repeats", p.repeats); a("beside", p.beside); a("stress", p.stress);
  a("exact", p.exact); a("granule", p.granule); a("traced", p.traced);
}
template <class A> void fields(A a, Script& s) {
  a("check", s.check); a("needs", s.needs); a("calls", s.calls); a("relations", s.relations); a("story", s.story);
  a("suspect", s.suspect); a("threat", s.threat); a("recycles", s.recycles); a("soak", s.soak); a("apart", s.apart);
  a("disguise", s.disguise);
}
template <class A> void fields(A a, Case& c) { a("lifetime", c.lifetime); a("script", c.script); a("call", c.call); }
// clang-format on

template <class T>
concept HasFields = requires(T& value, Saver saver) {
  fields(saver, value);
};

template <HasFields T>
json save(const T& value) {
  json to = json::object();
  T copy = value;
  fields(Saver{to}, copy);
  return to;
}
template <HasFields T>
void load(const json& from, T& value) {
  if (!from.is_object()) refuse("an object is missing");
  fields(Loader{from}, value);
}

json save(const ValueEdit& edit) {
  json to = std::visit([](const auto& held) { return save(held); }, edit);
  to["kind"] = kEditNames[edit.index()];
  return to;
}

template <std::size_t kIndex = 0>
void load_edit(const json& from, std::string_view kind, ValueEdit& edit) {
  if constexpr (kIndex == std::variant_size_v<ValueEdit>) {
    refuse("unknown change of values '" + std::string(kind) + "'");
  } else {
    if (kind != kEditNames[kIndex]) return load_edit<kIndex + 1>(from, kind, edit);
    std::variant_alternative_t<kIndex, ValueEdit> held;
    load(from, held);
    edit = held;
  }
}
void load(const json& from, ValueEdit& edit) {
  std::string kind;
  Loader{from}("kind", kind);
  load_edit(from, kind, edit);
}

template <class T>
json save(const std::vector<T>& values) {
  json to = json::array();
  for (const T& value : values) to.push_back(save(value));
  return to;
}
template <class T>
void load(const json& from, std::vector<T>& values) {
  if (!from.is_array() || from.size() > kMostCalls) refuse("a list is missing or too long");
  values.resize(from.size());
  for (std::size_t i = 0; i < values.size(); ++i) load(from[i], values[i]);
}

json save(const AxisValues& axes) {
  return axes;
}
void load(const json& from, AxisValues& axes) {
  if (!from.is_object()) refuse("the sizes of a call are missing");
  for (const auto& [name, size] : from.items()) load(size, axes[name]);
}

template <class T>
void Saver::operator()(const char* key, T& value) const {
  to[key] = save(value);
}
template <class T>
void Loader::operator()(const char* key, T& value) const {
  if (!from.is_object() || !from.contains(key)) refuse("'" + std::string(key) + "' is missing");
  load(from.at(key), value);
}

}  // namespace

json case_to_json(const Case& made) {
  return save(made);
}

Case case_from_json(const json& from) {
  Case made;
  load(from, made);
  const std::size_t calls = made.script.calls.size();
  if (made.call >= calls) refuse("its failing call is not among its calls");
  for (const Relation& relation : made.script.relations) {
    if (relation.first >= calls || relation.second >= calls) refuse("a relation names a call that isn't there");
  }
  return made;
}

}  // namespace assay::reports
