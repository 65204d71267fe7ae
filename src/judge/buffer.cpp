#include "judge/buffer.h"

#include "numerics/generator.h"

namespace assay {

std::vector<Buffer> buffers_of(const Contract& contract, const ConcreteShape& shape) {
  std::vector<Buffer> buffers;
  for (const ConcreteTensor& tensor : shape.tensors) {
    const Tensor& spec = contract.tensors[tensor.index];
    buffers.push_back({spec.name, spec.role, spec.dtype, static_cast<std::uint64_t>(tensor.bytes), &tensor});
  }
  if (contract.memory.workspace.text() != "0") {
    buffers.push_back(
        {kWorkspaceName, Role::scratch, DType::u8, static_cast<std::uint64_t>(shape.workspace_bytes), nullptr});
  }
  return buffers;
}

Bytes packed(const Contract& contract, const ConcreteTensor& tensor, const std::byte* bytes) {
  Bytes elements(static_cast<std::size_t>(tensor.elements * info(contract.tensors[tensor.index].dtype).bytes));
  gather(view_of(contract, tensor, bytes), elements.data());
  return elements;
}

}  // namespace assay
