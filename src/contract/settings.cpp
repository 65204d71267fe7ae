#include "contract/sections.h"
#include "contract/table.h"
#include "contract/words.h"

namespace assay::contract {
namespace {

void read_constraints(Reader& reader, const Node& node, Contract& out) {
  if (!reader.expect(node, NodeKind::array)) return;
  for (const Node& item : node.items) {
    Constraint constraint;
    if (reader.read(item, constraint)) out.constraints.push_back(std::move(constraint));
  }
}

constexpr std::array<Key<Contract>, 3> kOpKeys{{{"name", field<&Contract::name>, Need::required},
                                                {"summary", field<&Contract::summary>},
                                                {"constraints", read_constraints}}};

void read_align(Reader& reader, const Node& node, Memory& out) {
  constexpr std::int64_t kMax = std::int64_t{1} << 21;
  if (!reader.read(node, out.align)) return;
  const bool power = out.align > 0 && (out.align & (out.align - 1)) == 0;
  if (!power || out.align > kMax) {
    reader.fail(node, node.path + " must be a power of two from 1 to " + std::to_string(kMax));
  }
}

/// Shapes and strides as written: two tensors that may share storage must be laid out alike for every shape.
std::string layout_text(const std::vector<Expression>& expressions) {
  std::string text;
  for (const Expression& each : expressions) text += each.text() + ", ";
  return text;
}

void read_pair(Reader& reader, const Node& node, Memory& out) {
  std::vector<std::string> names;
  if (!reader.read(node, names)) return;
  if (names.size() != 2) return reader.fail(node, node.path + " must name two tensors");
  if (names[0] == names[1]) return reader.fail(node, node.path + ": a tensor always shares storage with itself");
  const std::vector<std::string_view> known(reader.tensor_names.begin(), reader.tensor_names.end());
  bool good = true;
  for (std::size_t i = 0; i < 2; ++i) {
    if (reader.tensor_names.contains(names[i])) continue;
    reader.fail(node.items[i], unknown_word("tensor", names[i], known));
    good = false;
  }
  if (!good || reader.broken.contains(names[0]) || reader.broken.contains(names[1])) return;
  const Tensor& a = *reader.contract.find_tensor(names[0]);
  const Tensor& b = *reader.contract.find_tensor(names[1]);
  if (a.dtype != b.dtype || layout_text(a.shape) != layout_text(b.shape) ||
      layout_text(a.strides) != layout_text(b.strides)) {
    return reader.fail(node, node.path + ": '" + a.name + "' and '" + b.name +
                                 "' can't share storage: dtype, shape and strides must be equal as written");
  }
  out.aliasing.emplace_back(names[0], names[1]);
}

void read_aliasing(Reader& reader, const Node& node, Memory& out) {
  if (!reader.expect(node, NodeKind::array)) return;
  for (const Node& item : node.items) read_pair(reader, item, out);
}

constexpr std::array<Key<Memory>, 4> kMemoryKeys{{{"align", read_align},
                                                  {"aliasing", read_aliasing},
                                                  {"workspace", field<&Memory::workspace>},
                                                  {"extra", field<&Memory::extra>}}};

constexpr std::array<Key<Contract>, 1> kLifetimeKeys{{{"kind", word<&Contract::lifetime, kLifetimes>, Need::required}}};

constexpr std::array<Key<Concurrency>, 2> kConcurrencyKeys{
    {{"reentrant", field<&Concurrency::reentrant>}, {"threads", number<&Concurrency::threads, Range::positive>}}};

constexpr std::array<Key<Numerics>, 10> kNumericsKeys{
    {{"precision", word<&Numerics::precision, kPrecisions>},
     {"accumulate", word<&Numerics::accumulate, kPrecisions>},
     {"policy", word<&Numerics::policy, kPolicies>},
     {"rtol", number<&Numerics::rtol, Range::not_negative>},
     {"atol", number<&Numerics::atol, Range::not_negative>},
     {"matched", number<&Numerics::matched, Range::positive_share>},
     {"max_error", number<&Numerics::max_error, Range::not_negative>},
     {"deterministic", field<&Numerics::deterministic>},
     {"special_values", word<&Numerics::special_values, kSpecialValues>},
     {"denormals", word<&Numerics::denormals, kDenormals>}}};

/// Tolerances belong to allclose alone; there they must be stated.
void check_policy(Reader& reader, const Node& node, Policy policy) {
  for (std::string_view key : {"rtol", "atol", "matched", "max_error"}) {
    const Node* value = node.find(key);
    if (value && policy == Policy::calibrated) {
      reader.fail(*value, value->path + " counts only with policy = \"allclose\": calibrated derives its tolerance");
    }
    const bool needed = key == "rtol" || key == "atol";
    if (!value && needed && policy == Policy::allclose) {
      reader.fail(node, "missing key '" + std::string(key) + "' in [" + node.path + "]: allclose needs it");
    }
  }
}

constexpr std::array<Key<CostSpec>, 2> kCostKeys{
    {{"bytes", field<&CostSpec::bytes>}, {"flops", field<&CostSpec::flops>}}};

void read_shape_axes(Reader& reader, const Node& node, ProductionShape& out) {
  if (!reader.expect(node, NodeKind::table)) return;
  const std::vector<std::string_view> known(reader.axis_names.begin(), reader.axis_names.end());
  for (const Member& member : node.members) {
    std::int64_t size = 0;
    if (!reader.axis_names.contains(member.key)) {
      reader.fail(member.at, unknown_word("axis", member.key, known) + " (in " + node.path + ")");
    } else if (reader.read(member.value, size)) {
      out.axes[member.key] = size;
    }
  }
  for (const Axis& axis : reader.contract.axes) {
    if (axis.constant) {
      out.axes.emplace(axis.name, axis.min);
    } else if (!node.find(axis.name)) {
      reader.fail(node, node.path + " gives no size for axis '" + axis.name + "'");
    }
  }
}

constexpr std::array<Key<ProductionShape>, 2> kShapeKeys{
    {{"axes", read_shape_axes, Need::required}, {"weight", number<&ProductionShape::weight, Range::not_negative>}}};

}  // namespace

void read_op(Reader& reader, const Node& node) {
  read_table(reader, node, kOpKeys, reader.contract);
}

void read_memory(Reader& reader, const Node& node) {
  read_table(reader, node, kMemoryKeys, reader.contract.memory);
}

void read_lifetime(Reader& reader, const Node& node) {
  read_table(reader, node, kLifetimeKeys, reader.contract);
}

void read_concurrency(Reader& reader, const Node& node) {
  read_table(reader, node, kConcurrencyKeys, reader.contract.concurrency);
}

void read_numerics(Reader& reader, const Node& node) {
  if (!read_table(reader, node, kNumericsKeys, reader.contract.numerics)) return;
  check_policy(reader, node, reader.contract.numerics.policy);
}

void read_cost(Reader& reader, const Node& node) {
  CostSpec cost;
  read_table(reader, node, kCostKeys, cost);
  reader.contract.cost = std::move(cost);
}

void read_shapes(Reader& reader, const Node& node) {
  if (node.kind == NodeKind::table) return reader.fail(node, "shapes is a list: write [[shapes]]");
  if (!reader.expect(node, NodeKind::array)) return;
  double total = 0.0;
  for (const Node& item : node.items) {
    ProductionShape shape;
    read_table(reader, item, kShapeKeys, shape);
    total += shape.weight;
    reader.contract.shapes.push_back(std::move(shape));
  }
  if (!(total > 0.0)) return reader.fail(node, "no production shape in [[shapes]] has a weight above 0");
  for (ProductionShape& shape : reader.contract.shapes) shape.weight /= total;
}

}  // namespace assay::contract
