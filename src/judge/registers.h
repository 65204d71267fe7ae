#pragma once
#include <span>

#include "core/contract.h"
#include "core/seed.h"
#include "judge/staged.h"
#include "judge/worker.h"

namespace assay {

/// Turns a call into register slots, in the order of `entry.args`. 32-bit integers get random upper halves, so that a
/// callee that reads 64 bits is found out (ABI.md, rule 4). Tensors are the addresses in the worker.
Invocation registers_of(const Contract& contract, const Entry& entry, const CallPlan& plan,
                        std::span<const Staged> buffers, Random& random);

/// The returned register as the one element of a tensor of `dtype` ("f32:y").
Bytes returned_element(std::uint64_t value, DType dtype);

/// Whether the returned register means success; true where the entry promises no particular value.
bool means_success(const Entry& entry, std::uint64_t value);

/// The returned register as a number for a message.
std::int64_t returned_number(const Entry& entry, std::uint64_t value);

}  // namespace assay
