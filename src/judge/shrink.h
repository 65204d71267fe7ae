#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "core/call.h"
#include "core/contract.h"
#include "core/observation.h"
#include "core/tensor.h"

namespace assay {

/// A script that a witness objects to when it runs alone, and what the witness says.
struct FailingCase {
  Script script;
  std::size_t call = 0;  ///< index of the call that is objected to
  Observation observation;
};

/// Runs a script alone; nothing if the witness has no objection to it.
using Trial = std::function<std::optional<Observation>(const Script&)>;

/// Makes a failing case small: fewer calls, then smaller sizes, as long as `trial` still objects and `may_go_on` holds.
/// `shapes` is what scripts may call; sizes that are tried are added to it. The case that comes back has failed as it
/// stands.
FailingCase shrink(const Contract& contract, const Entry& entry, FailingCase from, std::vector<ConcreteShape>& shapes,
                   const Trial& trial, const std::function<bool()>& may_go_on);

}  // namespace assay
