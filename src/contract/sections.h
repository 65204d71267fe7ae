#pragma once
#include "contract/reader.h"

/// One reader per part of the file. Those further down may use what those above have read.
namespace assay::contract {

void read_axes(Reader& reader, const Node& node);
void read_params(Reader& reader, const Node& node);
void read_tensors(Reader& reader, const Node& node);
void read_op(Reader& reader, const Node& node);
void read_memory(Reader& reader, const Node& node);
void read_lifetime(Reader& reader, const Node& node);
void read_concurrency(Reader& reader, const Node& node);
void read_numerics(Reader& reader, const Node& node);
void read_oracle(Reader& reader, const Node& node);
/// Compares the builtin oracle and its arguments, read without a mistake, with those that this program has.
void check_oracle(Reader& reader, const Node& node);
void read_cost(Reader& reader, const Node& node);
void read_roi(Reader& reader, const Node& node);
void read_end_to_end(Reader& reader, const Node& node);
void read_shapes(Reader& reader, const Node& node);

/// `values` of a tensor whose dtype and shape are known; null: the default. Sets `range` too where it follows.
void read_values(Reader& reader, const Node* node, Tensor& tensor, const Node& tensor_node);

/// [entry], [reference], [candidate] and [speed], which all say how something is called.
void read_subjects(Reader& reader, const Node& root);

/// What only the whole contract shows: defaults that depend on other parts, unused tensors, shapes outside the domain.
/// `domain_known`: axes, tensors and constraints were read without a mistake, so shapes can be checked against them.
void finish(Reader& reader, const Node& root, bool domain_known);

/// "const 1.5" as a number, in `node` from byte `offset` on; reports and returns nothing if it is none.
std::optional<double> read_literal(Reader& reader, const Node& node, std::string_view text, std::size_t offset);

}  // namespace assay::contract
