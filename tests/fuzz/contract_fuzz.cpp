#include <cstdint>
#include <cstdlib>

#include "contract/load.h"
#include "core/arguments.h"
#include "core/tensor.h"

// Any text is a contract or a list of errors with places inside it; what a contract promises holds of it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = assay::parse_contract(text, "fuzz.toml");
  if (const auto* errors = std::get_if<std::vector<assay::ContractError>>(&parsed)) {
    if (errors->empty()) std::abort();
    for (const assay::ContractError& error : *errors) {
      if (error.line < 1 || error.column < 1 || error.message.empty()) std::abort();
    }
    return 0;
  }
  const auto& contract = std::get<assay::Contract>(parsed);
  for (const assay::ProductionShape& shape : contract.shapes) {
    const auto concrete = assay::concretise(contract, shape.axes);
    if (std::holds_alternative<std::string>(concrete)) std::abort();
    if (!assay::unfit_argument(contract, contract.entry, shape.axes).empty()) std::abort();
  }
  for (const assay::Tensor& tensor : contract.tensors) {
    const bool input = tensor.role == assay::Role::in || tensor.role == assay::Role::inout;
    if (input != tensor.values.has_value()) std::abort();
  }
  return 0;
}
