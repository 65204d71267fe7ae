#include "contract/names.h"
#include "contract/sections.h"
#include "contract/table.h"
#include "contract/words.h"

namespace assay::contract {
namespace {

constexpr std::size_t kMaxRank = 32;

template <class T>
void read_dtype(Reader& reader, const Node& node, T& out) {
  if (!reader.expect(node, NodeKind::string)) return;
  if (const auto dtype = dtype_from_name(node.text)) {
    out.dtype = *dtype;
    return;
  }
  std::array<std::string_view, kDTypes.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kDTypes[i].name;
  reader.fail(node, unknown_word("dtype", node.text, names));
}

void read_range(Reader& reader, const Node& node, Tensor& out) {
  ValueRange range;
  if (!reader.expect(node, NodeKind::array)) return;
  if (node.items.size() != 2) {
    reader.fail(node, node.path + " must be two numbers: [low, high]");
    return;
  }
  const bool low = reader.read(node.items[0], range.low), high = reader.read(node.items[1], range.high);
  if (!low || !high) return;
  if (range.low > range.high) reader.fail(node, node.path + ": low is above high");
  out.range = range;
}

constexpr std::array<Key<Tensor>, 7> kTensorKeys{{{"role", word<&Tensor::role, kRoles>, Need::required},
                                                  {"dtype", read_dtype<Tensor>, Need::required},
                                                  {"shape", field<&Tensor::shape>, Need::required},
                                                  {"strides", field<&Tensor::strides>},
                                                  {"static", field<&Tensor::is_static>},
                                                  {"values", known<Tensor>},
                                                  {"range", read_range}}};

void check_layout(Reader& reader, const Node& node, const Tensor& tensor) {
  const Node* strides = node.find("strides");
  if (strides && tensor.strides.size() != tensor.shape.size()) {
    reader.fail(*strides, strides->path + " has " + std::to_string(tensor.strides.size()) + " entries, shape has " +
                              std::to_string(tensor.shape.size()));
  }
  if (tensor.shape.size() > kMaxRank) {
    reader.fail(node, node.path + " has more than " + std::to_string(kMaxRank) + " dimensions");
  }
}

/// Keys that mean something only where the caller brings the contents.
void check_role(Reader& reader, const Node& node, const Tensor& tensor) {
  const bool input = holds_input(tensor.role);
  for (std::string_view key : {"values", "range", "static"}) {
    const Node* value = node.find(key);
    if (!value) continue;
    if (!input) {
      reader.fail(*value, value->path + ": a tensor of role \"" + std::string(name_of(tensor.role)) +
                              "\" has no contents before the call; leave '" + std::string(key) + "' out");
    } else if (key == "static" && tensor.is_static && tensor.role == Role::inout) {
      reader.fail(*value, value->path + ": the kernel writes this tensor, so it can't be static");
    }
  }
}

void read_tensor(Reader& reader, const Member& member, Tensor& tensor) {
  const std::size_t before = reader.error_count();
  const Node& node = member.value;
  read_table(reader, node, kTensorKeys, tensor);
  if (reader.error_count() == before) {
    check_layout(reader, node, tensor);
    check_role(reader, node, tensor);
    if (holds_input(tensor.role)) read_values(reader, node.find("values"), tensor, node);
  }
  if (reader.error_count() != before) reader.broken.insert(member.key);
}

void read_param_values(Reader& reader, const Node& node, Param& out) {
  if (!reader.expect(node, NodeKind::array)) return;
  if (node.items.empty()) reader.fail(node, node.path + " is empty: a param has at least one value");
  for (const Node& item : node.items) {
    double value = item.boolean ? 1.0 : 0.0;
    const bool truth = out.dtype == DType::boolean;
    if (!(truth ? reader.expect(item, NodeKind::boolean) : reader.read_any(item, value))) continue;
    const std::string problem = unfit_value(out.dtype, value);
    if (!problem.empty()) reader.fail(item, item.path + ": " + problem);
    out.values.push_back(value);
  }
}

// `values` is read according to `dtype`, so it comes after it.
constexpr std::array<Key<Param>, 2> kParamKeys{
    {{"dtype", read_dtype<Param>, Need::required}, {"values", read_param_values, Need::required}}};

}  // namespace

void read_tensors(Reader& reader, const Node& node) {
  if (!reader.expect(node, NodeKind::table)) return;
  for (const Member& member : node.members) {
    Tensor tensor;
    tensor.name = member.key;
    read_tensor(reader, member, tensor);
    reader.contract.tensors.push_back(std::move(tensor));
  }
}

void read_params(Reader& reader, const Node& node) {
  if (!reader.expect(node, NodeKind::table)) return;
  for (const Member& member : node.members) {
    const std::size_t before = reader.error_count();
    Param param;
    param.name = member.key;
    read_table(reader, member.value, kParamKeys, param);
    if (reader.error_count() != before) reader.broken.insert(member.key);
    reader.contract.params.push_back(std::move(param));
  }
}

}  // namespace assay::contract
