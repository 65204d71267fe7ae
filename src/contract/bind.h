#pragma once
#include "contract/prototype.h"
#include "contract/reader.h"

namespace assay::contract {

/// The arguments that a prototype, the text of `node`, asks for: each name bound to a tensor, axis, param or reserved
/// name. What doesn't fit is reported at the name.
std::vector<Argument> bind_prototype(Reader& reader, const Node& node, const Prototype& prototype);

/// The arguments that the strings of `args` name, such as "x", "T:i64", "const 101:i32", "null". `typed`: axes and
/// params must say their C type; otherwise they have the widest (i64, f64, bool).
std::vector<Argument> bind_list(Reader& reader, const Node& node, bool typed);

/// The arguments of an interface that names none (ABI.md): inputs and scratch, params, then outputs unless returned.
std::vector<Argument> bind_default(const Contract& contract, bool pass_outputs);

}  // namespace assay::contract
