#include "core/tensor.h"

#include <algorithm>
#include <limits>

namespace assay {
namespace {

using Value = std::variant<std::int64_t, ExprError>;

/// Collects the first thing that is wrong while a shape is evaluated.
class Evaluator {
 public:
  explicit Evaluator(const AxisValues& axes) : axes_(axes) {}

  std::int64_t size(const Expression& expression, const std::string& what) {
    const std::int64_t value = number(expression, what);
    if (value < 0) fail(what + " = " + expression.text() + " is negative (" + std::to_string(value) + ")");
    return value;
  }

  std::int64_t number(const Expression& expression, const std::string& what) {
    const Value value = expression.evaluate(axes_);
    if (const auto* error = std::get_if<ExprError>(&value)) {
      fail(what + " = " + expression.text() + ": " + error->message);
      return 0;
    }
    return std::get<std::int64_t>(value);
  }

  std::int64_t multiply(std::int64_t a, std::int64_t b, const std::string& what) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) fail(what + " is larger than 2^63 - 1");
    return product;
  }

  std::int64_t add(std::int64_t a, std::int64_t b, const std::string& what) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) fail(what + " is larger than 2^63 - 1");
    return sum;
  }

  void fail(const std::string& message) {
    if (problem_.empty()) problem_ = message;
  }
  const std::string& problem() const { return problem_; }

 private:
  const AxisValues& axes_;
  std::string problem_;
};

std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& shape, Evaluator& evaluator,
                                    const std::string& what) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step = evaluator.multiply(step, std::max<std::int64_t>(shape[i], 1), what);
  }
  return strides;
}

std::int64_t span_of(const ConcreteTensor& tensor, Evaluator& evaluator, const std::string& what) {
  if (tensor.elements == 0) return 0;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    last = evaluator.add(last, evaluator.multiply(tensor.shape[i] - 1, tensor.strides[i], what), what);
  }
  return evaluator.add(last, 1, what);
}

ConcreteTensor concrete_tensor(const Tensor& spec, std::size_t index, Evaluator& evaluator) {
  const std::string what = "tensors." + spec.name;
  ConcreteTensor tensor;
  tensor.index = index;
  tensor.elements = 1;
  for (const Expression& e : spec.shape) {
    tensor.shape.push_back(evaluator.size(e, what + " shape"));
    tensor.elements = evaluator.multiply(tensor.elements, tensor.shape.back(), "the number of elements of " + what);
  }
  const std::vector<std::int64_t> packed = row_major(tensor.shape, evaluator, what);
  for (const Expression& e : spec.strides) tensor.strides.push_back(evaluator.size(e, what + " strides"));
  if (spec.strides.empty()) tensor.strides = packed;
  tensor.contiguous = tensor.strides == packed;
  tensor.span = span_of(tensor, evaluator, "the extent of " + what);
  tensor.bytes = evaluator.multiply(tensor.span, info(spec.dtype).bytes, "the size in bytes of " + what);
  if (spec.values) {
    tensor.values.spec = *spec.values;
    tensor.values.extent = evaluator.size(spec.values->extent, what + " values");
  }
  return tensor;
}

std::string axis_problem(const Axis& axis, std::int64_t value) {
  const std::string text = "axis " + axis.name + " = " + std::to_string(value);
  if (value < axis.min || value > axis.max) {
    return text + " is outside [" + std::to_string(axis.min) + ", " + std::to_string(axis.max) + "]";
  }
  if (!axis.values.empty() && !std::binary_search(axis.values.begin(), axis.values.end(), value)) {
    return text + " is not one of its declared values";
  }
  if (axis.multiple_of > 1 && value % axis.multiple_of != 0) {
    return text + " is not a multiple of " + std::to_string(axis.multiple_of);
  }
  return {};
}

}  // namespace

std::int64_t ConcreteShape::total_bytes() const {
  std::int64_t total = workspace_bytes;
  for (const ConcreteTensor& t : tensors) {
    if (__builtin_add_overflow(total, t.bytes, &total)) return std::numeric_limits<std::int64_t>::max();
  }
  return total;
}

std::string outside_domain(const Contract& contract, const AxisValues& axes) {
  for (const Axis& axis : contract.axes) {
    const auto it = axes.find(axis.name);
    if (it == axes.end()) return "axis " + axis.name + " has no value";
    const std::string problem = axis_problem(axis, it->second);
    if (!problem.empty()) return problem;
  }
  for (const Constraint& constraint : contract.constraints) {
    const auto holds = constraint.holds(axes);
    if (const auto* error = std::get_if<ExprError>(&holds)) return constraint.text() + ": " + error->message;
    if (!std::get<bool>(holds)) return "the constraint " + constraint.text() + " does not hold";
  }
  return {};
}

std::variant<ConcreteShape, std::string> concretise(const Contract& contract, const AxisValues& axes) {
  const std::string outside = outside_domain(contract, axes);
  if (!outside.empty()) return outside;
  Evaluator evaluator(axes);
  ConcreteShape shape;
  shape.axes = axes;
  for (std::size_t i = 0; i < contract.tensors.size(); ++i) {
    shape.tensors.push_back(concrete_tensor(contract.tensors[i], i, evaluator));
  }
  shape.workspace_bytes = evaluator.size(contract.memory.workspace, "memory.workspace");
  if (!evaluator.problem().empty()) return evaluator.problem();
  return shape;
}

TensorView view_of(const Contract& contract, const ConcreteTensor& t, std::byte* data) {
  return {contract.tensors[t.index].dtype, t.shape, t.strides, t.elements, t.contiguous, data};
}

ConstTensorView view_of(const Contract& contract, const ConcreteTensor& t, const std::byte* data) {
  return {contract.tensors[t.index].dtype, t.shape, t.strides, t.elements, t.contiguous, data};
}

std::int64_t element_offset(const ConstTensorView& view, std::int64_t linear) {
  if (view.contiguous) return linear;
  std::int64_t offset = 0;
  for (std::size_t i = view.shape.size(); i-- > 0;) {
    offset += (linear % view.shape[i]) * view.strides[i];
    linear /= view.shape[i];
  }
  return offset;
}

std::string index_text(std::span<const std::int64_t> shape, std::int64_t linear) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    const std::int64_t extent = std::max<std::int64_t>(shape[i], 1);
    index[i] = linear % extent;
    linear /= extent;
  }
  std::string text = "[";
  for (std::size_t i = 0; i < index.size(); ++i) text += (i ? ", " : "") + std::to_string(index[i]);
  return text + "]";
}

}  // namespace assay
