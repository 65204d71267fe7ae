#include "contract/names.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "contract/words.h"
#include "core/nearest.h"

namespace assay::contract {
namespace {

struct Declared {
  const Member* member = nullptr;
  std::string_view kind;
  std::set<std::string>* names = nullptr;
};

template <std::size_t N>
bool listed(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void collect(const Node& root, std::string_view section, std::string_view kind, std::set<std::string>& names,
             std::vector<Declared>& all) {
  const Node* table = root.find(section);
  if (!table) return;
  for (const Member& member : table->members) all.push_back({&member, kind, &names});
}

/// Empty if the name may be declared.
std::string bad_name(const Declared& declared) {
  const std::string& name = declared.member->key;
  const std::string what = std::string(declared.kind) + " '" + clip(name) + "'";
  if (!is_identifier(name)) return what + ": a name is letters, digits and '_', and begins with no digit";
  if (name.size() > 64) return what + ": a name has at most 64 characters";
  if (listed(kReservedNames, name)) return what + ": the name is reserved for arguments (see \"Entry\")";
  if (declared.kind == "axis" && listed(kExpressionWords, name)) return what + ": the name is a word of expressions";
  return {};
}

}  // namespace

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (text.empty() || !letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void declare_names(Reader& reader, const Node& root) {
  std::vector<Declared> all;
  collect(root, "axes", "axis", reader.axis_names, all);
  collect(root, "tensors", "tensor", reader.tensor_names, all);
  collect(root, "params", "param", reader.param_names, all);
  std::stable_sort(all.begin(), all.end(),
                   [](const Declared& a, const Declared& b) { return a.member->at < b.member->at; });
  std::map<std::string, Declared> taken;
  for (const Declared& declared : all) {
    const std::string& name = declared.member->key;
    const std::string problem = bad_name(declared);
    if (!problem.empty()) reader.fail(declared.member->at, problem);
    if (!problem.empty()) reader.misnamed.insert(name);
    const auto [first, fresh] = taken.emplace(name, declared);
    if (!fresh) {
      reader.misnamed.insert(name);
      reader.fail(declared.member->at, std::string(declared.kind) + " '" + clip(name) + "': the name is taken by the " +
                                           std::string(first->second.kind) + " on line " +
                                           std::to_string(first->second.member->at.line));
    }
    declared.names->insert(name);
  }
}

ValueRange finite_range(DType dtype) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  // In the order of DType.
  constexpr std::array<ValueRange, 15> kRanges{{{-1.7976931348623157e308, 1.7976931348623157e308},
                                                {-3.4028234663852886e38, 3.4028234663852886e38},
                                                {-65504.0, 65504.0},
                                                {-3.3895313892515355e38, 3.3895313892515355e38},
                                                {-448.0, 448.0},
                                                {-57344.0, 57344.0},
                                                {-kExact, kExact},
                                                {-2147483648.0, 2147483647.0},
                                                {-32768.0, 32767.0},
                                                {-128.0, 127.0},
                                                {0.0, kExact},
                                                {0.0, 4294967295.0},
                                                {0.0, 65535.0},
                                                {0.0, 255.0},
                                                {0.0, 1.0}}};
  return kRanges[static_cast<std::size_t>(dtype)];
}

std::string unfit_value(DType dtype, double value) {
  const std::string name(info(dtype).name);
  if (is_floating(dtype) && !std::isfinite(value)) return {};
  if (!is_floating(dtype) && std::trunc(value) != value) return name + " holds integers only";
  const ValueRange range = finite_range(dtype);
  if (value < range.low || value > range.high) return "the value does not fit " + name;
  return {};
}

}  // namespace assay::contract
