#include <algorithm>
#include <array>
#include <cstring>

#include "numerics/generator.h"
#include "reference/operands.h"

namespace assay {
namespace {

constexpr std::array<OracleArg, 3> kEmbeddingArgs{
    {{"table", OracleArgKind::input}, {"ids", OracleArgKind::input}, {"y", OracleArgKind::output}}};
constexpr std::array<OracleArg, 3> kGatherArgs{
    {{"x", OracleArgKind::input}, {"ids", OracleArgKind::input}, {"y", OracleArgKind::output}}};
constexpr std::array<OracleArg, 2> kTransposeArgs{{{"x", OracleArgKind::input}, {"y", OracleArgKind::output}}};

/// Row-major bytes of an input, whose type must be the output's.
std::vector<std::byte> bytes_of(const Operands& o, std::string_view name, std::string_view output) {
  const ConstTensorView& from = o.view(name);
  if (from.dtype != o.view(output).dtype)
    throw Misfit{std::string(name) + " and " + std::string(output) + " have one element type"};
  if (from.elements > 0 && from.data == nullptr) throw Misfit{"the argument " + std::string(name) + " has no contents"};
  std::vector<std::byte> bytes(static_cast<std::size_t>(from.elements) *
                               static_cast<std::size_t>(info(from.dtype).bytes));
  gather(from, bytes.data());
  return bytes;
}

/// y[i] = rows[ids[i]]: rows are what is left of `source` behind its first axis.
OracleAnswer pick_rows(const OracleCall& call, std::string_view source) {
  return answer([&] {
    const Operands o(call);
    o.rank(source, 1);
    const ConstTensorView& from = o.view(source);
    const std::vector<std::int64_t> ids = o.integers("ids");
    std::int64_t row = 1;
    for (const std::int64_t extent : from.shape.subspan(1)) row *= extent;
    if (o.view("y").elements != row * static_cast<std::int64_t>(ids.size())) {
      throw Misfit{std::string(source) + " " + shape_text(from.shape) + " at ids " + shape_text(o.view("ids").shape) +
                   " does not give y " + shape_text(o.view("y").shape)};
    }
    const std::vector<std::byte> bytes = bytes_of(o, source, "y");
    const std::size_t size = static_cast<std::size_t>(row) * static_cast<std::size_t>(info(from.dtype).bytes);
    ExactTruth y;
    y.bytes.resize(ids.size() * size);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < 0 || ids[i] >= from.shape[0]) {
        throw Misfit{"outside the domain: ids[" + std::to_string(i) + "] = " + std::to_string(ids[i]) +
                     " is no row of " + std::string(source)};
      }
      std::copy_n(bytes.data() + static_cast<std::size_t>(ids[i]) * size, size, y.bytes.data() + i * size);
    }
    Outputs outputs;
    outputs["y"] = std::move(y);
    return outputs;
  });
}

OracleAnswer embedding(const OracleCall& call) {
  return pick_rows(call, "table");
}
OracleAnswer gather_rows(const OracleCall& call) {
  return pick_rows(call, "x");
}

/// Swaps the last two axes.
OracleAnswer transpose(const OracleCall& call) {
  return answer([&] {
    const Operands o(call);
    o.rank("x", 2);
    const auto from = o.view("x").shape, to = o.view("y").shape;
    const std::size_t lead = from.size() - 2;
    const bool fits = to.size() == from.size() &&
                      std::equal(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(lead), to.begin()) &&
                      to[lead] == from[lead + 1] && to[lead + 1] == from[lead];
    if (!fits) throw Misfit{"x " + shape_text(from) + " transposed does not give y " + shape_text(to)};
    const std::vector<std::byte> bytes = bytes_of(o, "x", "y");
    const auto size = static_cast<std::size_t>(info(o.view("x").dtype).bytes);
    const auto rows = static_cast<std::size_t>(from[lead]), columns = static_cast<std::size_t>(from[lead + 1]);
    ExactTruth y;
    y.bytes.resize(bytes.size());
    for (std::size_t i = 0; i < bytes.size() / size; ++i) {
      const std::size_t matrix = i / (rows * columns), r = i / columns % rows, c = i % columns;
      std::copy_n(bytes.data() + i * size, size, y.bytes.data() + (matrix * rows * columns + c * rows + r) * size);
    }
    Outputs outputs;
    outputs["y"] = std::move(y);
    return outputs;
  });
}

/// A row that is read twice moves twice; bytes of the table that no id names don't move.
Cost cost(const OracleCall& call) {
  Cost cost;
  for (const char* name : {"ids", "y", "y"}) {
    const auto it = call.tensors.find(name);
    if (it != call.tensors.end()) cost.bytes += static_cast<double>(it->second.elements) * info(it->second.dtype).bytes;
  }
  return cost;
}

const bool registered_embedding =
    Registry<Oracle>::add({"embedding", "y[i] = table[ids[i]], bit by bit", kEmbeddingArgs, embedding, cost});
const bool registered_gather =
    Registry<Oracle>::add({"gather", "y[i] = x[ids[i]], bit by bit", kGatherArgs, gather_rows, cost});
const bool registered_transpose = Registry<Oracle>::add(
    {"transpose", "y = x with its last two axes swapped, bit by bit", kTransposeArgs, transpose, cost});

}  // namespace
}  // namespace assay
