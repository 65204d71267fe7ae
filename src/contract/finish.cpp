#include <algorithm>

#include "contract/names.h"
#include "contract/sections.h"
#include "core/arguments.h"
#include "core/tensor.h"

namespace assay::contract {
namespace {

bool is_output(const Tensor& tensor) {
  return holds_output(tensor.role);
}

/// The widest output's own arithmetic; `exact` where all outputs are integers or bool.
Precision default_precision(const Contract& contract) {
  constexpr std::array<Precision, 6> kOfFloats{Precision::f64,  Precision::f32,  Precision::f16,
                                               Precision::bf16, Precision::e4m3, Precision::e5m2};
  std::size_t widest = kOfFloats.size();  // DType lists the floats first, widest first
  for (const Tensor& tensor : contract.tensors) {
    if (is_output(tensor) && is_floating(tensor.dtype))
      widest = std::min(widest, static_cast<std::size_t>(tensor.dtype));
  }
  return widest < kOfFloats.size() ? kOfFloats[widest] : Precision::exact;
}

/// Hardware sums 16-bit and narrower products, and those of tf32, in float32.
Precision default_accumulate(Precision precision) {
  const bool wide = precision == Precision::f64 || precision == Precision::exact || precision == Precision::bits;
  return wide ? precision : Precision::f32;
}

bool given(const Node& root, std::string_view section, std::string_view key) {
  const Node* table = root.find(section);
  return table && table->find(key);
}

void fill_defaults(Contract& contract, const Node& root) {
  Numerics& numerics = contract.numerics;
  if (!given(root, "numerics", "precision")) numerics.precision = default_precision(contract);
  if (!given(root, "numerics", "accumulate")) numerics.accumulate = default_accumulate(numerics.precision);
  const bool module = contract.entry.abi == Abi::cuda_module || contract.entry.abi == Abi::hip_module;
  contract.memory.align_given = given(root, "memory", "align");
  if (!contract.memory.align_given) contract.memory.align = module ? 256 : 16;
}

/// Indices and offsets must fit the integers that hold them.
std::string unfit_indices(const Contract& contract, const ConcreteShape& shape) {
  for (std::size_t i = 0; i < contract.tensors.size(); ++i) {
    const Tensor& tensor = contract.tensors[i];
    if (!tensor.values || is_floating(tensor.dtype)) continue;
    const std::int64_t largest = shape.tensors[i].values.extent;
    if (static_cast<double>(largest) > finite_range(tensor.dtype).high + 1) {
      return "tensor '" + tensor.name + "': values up to " + std::to_string(largest) + " do not fit " +
             std::string(info(tensor.dtype).name);
    }
  }
  return {};
}

/// Empty if a subject of this contract can be called with this production shape.
std::string shape_problem(const Contract& contract, const AxisValues& axes) {
  const auto shape = concretise(contract, axes);
  if (const auto* problem = std::get_if<std::string>(&shape)) return *problem;
  const std::string indices = unfit_indices(contract, std::get<ConcreteShape>(shape));
  if (!indices.empty()) return indices;
  std::vector<const Entry*> entries{&contract.entry, &contract.candidate.entry};
  if (contract.reference) entries.push_back(&contract.reference->entry);
  if (contract.speed.baseline) entries.push_back(&contract.speed.baseline->entry);
  for (const Entry* entry : entries) {
    const std::string problem = unfit_argument(contract, *entry, axes);
    if (!problem.empty()) return problem;
  }
  return {};
}

void check_shapes(Reader& reader, const Node& root) {
  const Node* shapes = root.find("shapes");
  if (!shapes) return;
  for (std::size_t i = 0; i < reader.contract.shapes.size(); ++i) {
    const AxisValues& axes = reader.contract.shapes[i].axes;
    if (axes.size() != reader.contract.axes.size()) continue;  // reported where it was read
    const std::string problem = shape_problem(reader.contract, axes);
    const Node* place = shapes->items[i].find("axes");
    if (!problem.empty()) {
      reader.fail(place ? *place : shapes->items[i], "production shape " + to_string(axes) + ": " + problem);
    }
  }
}

void check_outputs(Reader& reader, const Node& root) {
  const Contract& contract = reader.contract;
  const Node* tensors = root.find("tensors");
  const bool any = std::any_of(contract.tensors.begin(), contract.tensors.end(), is_output);
  if (tensors && !any && reader.broken.empty()) {
    reader.fail(*tensors, "no tensor has role \"out\" or \"inout\": there is nothing to check");
  }
}

}  // namespace

void finish(Reader& reader, const Node& root, bool domain_known) {
  check_outputs(reader, root);
  fill_defaults(reader.contract, root);
  if (domain_known) check_shapes(reader, root);
}

}  // namespace assay::contract
