#include "roi/emit_shapes.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/dtype.h"
#include "roi/valid.h"

namespace assay::roi {
namespace {

using Dims = std::vector<std::vector<std::int64_t>>;

/// The contract's word for an element type; the trace's own where there is none.
std::string dtype_text(const std::string& spelled) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kTorch{
      {{"c10::Half", "float16"},
       {"c10::BFloat16", "bfloat16"},
       {"c10::Float8_e4m3fn", "float8_e4m3fn"},
       {"c10::Float8_e5m2", "float8_e5m2"},
       {"float", "float32"},
       {"double", "float64"},
       {"long int", "int64"},
       {"long", "int64"},
       {"int", "int32"},
       {"short int", "int16"},
       {"signed char", "int8"},
       {"unsigned char", "uint8"}}};
  for (const auto& [torch, ours] : kTorch) {
    if (torch == spelled) return std::string(ours);
  }
  const std::optional<DType> known = dtype_from_name(spelled);
  return known ? std::string(info(*known).name) : spelled;
}

std::string list_text(const std::vector<std::int64_t>& sizes) {
  std::string text = "[";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(sizes[i]);
  return text + "]";
}

/// A comment must stay on its line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

/// "float16 [4, 1024, 1024], float16 [1024]": inputs without sizes are scalars and lists, and left out.
std::string inputs_text(const ShapeUse& use) {
  std::string text;
  for (std::size_t i = 0; i < use.dims.size(); ++i) {
    if (use.dims[i].empty()) continue;
    const std::string dtype = i < use.dtypes.size() ? dtype_text(use.dtypes[i]) + " " : "";
    text += (text.empty() ? "" : ", ") + dtype + list_text(use.dims[i]);
  }
  if (!use.text.empty()) text = use.text;
  if (use.dims.empty() && !use.dtypes.empty()) text = dtype_text(use.dtypes.front()) + " " + text;
  return one_line(text);
}

/// Folds leading dimensions so that `sizes` has `rank` of them; nothing if there are too few.
std::optional<std::vector<std::int64_t>> folded(const std::vector<std::int64_t>& sizes, std::size_t rank) {
  if (rank == 0 || sizes.size() < rank) return std::nullopt;
  std::vector<std::int64_t> result(sizes.end() - static_cast<std::ptrdiff_t>(rank), sizes.end());
  for (std::size_t i = 0; i + rank < sizes.size(); ++i) {
    if (__builtin_mul_overflow(result.front(), sizes[i], &result.front())) return std::nullopt;
  }
  return result;
}

/// Axes that are dimensions by themselves; false on a contradiction. Expressions are checked at the end.
bool unify(const Tensor& tensor, const std::vector<std::int64_t>& sizes, AxisValues& axes) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::vector<std::string> names = tensor.shape[i].names();
    if (names.size() != 1 || names.front() != tensor.shape[i].text()) continue;
    const auto [place, is_new] = axes.try_emplace(names.front(), sizes[i]);
    if (!is_new && place->second != sizes[i]) return false;
  }
  return true;
}

bool agrees(const Tensor& tensor, const std::vector<std::int64_t>& sizes, const AxisValues& axes) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto value = tensor.shape[i].evaluate(axes);
    const auto* size = std::get_if<std::int64_t>(&value);
    if (!size || *size != sizes[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<AxisValues> axes_of(const Contract& contract, const Dims& dims) {
  AxisValues axes;
  for (const Axis& axis : contract.axes) {
    if (axis.constant) axes[axis.name] = axis.min;
  }
  std::vector<std::pair<const Tensor*, std::vector<std::int64_t>>> inputs;
  auto next = dims.begin();
  for (const Tensor& tensor : contract.tensors) {
    if (tensor.role != Role::in && tensor.role != Role::inout) continue;
    while (next != dims.end() && next->empty()) ++next;
    if (next == dims.end()) break;
    const auto sizes = folded(*next++, tensor.shape.size());
    if (!sizes || !unify(tensor, *sizes, axes)) return std::nullopt;
    inputs.emplace_back(&tensor, *sizes);
  }
  if (inputs.empty() || axes.size() != contract.axes.size()) return std::nullopt;
  const bool fits = std::all_of(inputs.begin(), inputs.end(),
                                [&](const auto& input) { return agrees(*input.first, input.second, axes); });
  return fits ? std::optional(axes) : std::nullopt;
}

namespace {

/// Dimensions named for their place.
AxisValues generic_axes(const Dims& dims) {
  AxisValues axes;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    for (std::size_t d = 0; d < dims[i].size(); ++d) {
      axes["in" + std::to_string(i) + "_d" + std::to_string(d)] = dims[i][d];
    }
  }
  return axes;
}

struct Group {
  AxisValues axes;
  bool fits = false;  ///< the contract's own axes
  std::string inputs, op, kernel;
  double calls = 0.0, total_s = 0.0;
};

std::vector<Group> grouped(const Profile& profile, const std::function<bool(std::string_view)>& picks,
                           const Contract* contract) {
  std::map<std::string, Group> groups;
  for (const ShapeUse& use : profile.shapes) {
    if (picks && !picks(use.kernel)) continue;
    const std::optional<AxisValues> fitting = contract ? axes_of(*contract, use.dims) : std::nullopt;
    const std::string inputs = inputs_text(use);
    Group& group = groups[fitting ? "axes " + to_string(*fitting) : inputs + "\n" + use.op];
    if (group.calls == 0.0) {
      group = {fitting.value_or(generic_axes(use.dims)), fitting.has_value(), inputs, use.op, use.kernel, 0.0, 0.0};
    }
    group.calls += use.calls;
    group.total_s += use.total_s;
  }
  std::vector<Group> list;
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  std::stable_sort(list.begin(), list.end(), [](const Group& a, const Group& b) { return a.calls > b.calls; });
  return list;
}

std::string axes_toml(const AxisValues& axes) {
  std::string text = "{ ";
  for (const auto& [name, size] : axes) text += (text.size() > 2 ? ", " : "") + name + " = " + std::to_string(size);
  return text + " }";
}

std::string group_toml(const Group& group, double all_calls) {
  std::string text = "\n# " + (group.inputs.empty() ? "inputs not recorded" : group.inputs);
  if (!group.op.empty()) text += ", from " + one_line(group.op);
  if (group.total_s > 0.0 && group.calls > 0.0) {
    text += ", " + number_text(group.total_s / group.calls * 1e6) + " us a call on the device";
  }
  text += "\n";
  // Without axes there is nothing that a contract could take.
  const std::string mark = group.axes.empty() ? "# " : "";
  text += mark + "[[shapes]]\n";
  text += mark + "axes   = " + axes_toml(group.axes) + (group.fits ? "" : "  # rename to the contract's axes") + "\n";
  return text + mark + "weight = " + number_text(group.calls / all_calls) + "\n";
}

}  // namespace

std::string shapes_toml(const Profile& profile, const std::function<bool(std::string_view)>& picks,
                        const Contract* contract) {
  const std::vector<Group> groups = grouped(profile, picks, contract);
  double calls = 0.0;
  for (const Group& group : groups) calls += group.calls;
  if (!(calls > 0.0)) {
    fail(profile.path + ": " + profile.format +
         " has no input shapes of these kernels; a PyTorch trace has them with record_shapes = True");
  }
  std::string text = "# Shapes of " + one_line(profile.path) + " (" + profile.format + "), weights are shares of " +
                     number_text(calls) + " calls\n";
  for (const Group& group : groups) text += group_toml(group, calls);
  return text;
}

}  // namespace assay::roi
