#pragma once
#include <optional>

#include "contract/prototype.h"
#include "contract/reader.h"

namespace assay::contract {

/// What a function returns and what that means.
struct Returns {
  ReturnKind kind = ReturnKind::nothing;
  CType type = CType::i32;
  std::string tensor;  ///< kind == element
};

/// Reads `returns`; reports and returns nothing if it means nothing for this interface.
std::optional<Returns> read_returns(Reader& reader, const Node& node, Abi abi);

/// What a prototype returns, given what `returns` says (null: nothing). The two must agree.
std::optional<Returns> returns_of(Reader& reader, const Node& prototype_node, const Prototype& prototype,
                                  const Node* returns_node, Abi abi);

/// Whether the value is a code that may mean failure.
bool is_status(ReturnKind kind);

}  // namespace assay::contract
