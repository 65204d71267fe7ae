#pragma once
#include "core/call.h"
#include "core/seed.h"
#include "core/tensor.h"

namespace assay {

/// A call of which sums of products are exact in every order of summation (CallPlan::exact).
struct ExactCall {
  std::string story;  ///< what its values are
  CallPlan call;
};

/// Whether the outputs of a contract's oracle are sums of products, exact where all partial sums are.
bool sums_products(const Contract& contract);

/// All kinds of them that the contract's inputs may hold, made of `fresh` (its scalars, places and integer tensors);
/// none where outputs aren't sums of products.
std::vector<ExactCall> exact_calls(const Contract& contract, const ConcreteShape& shape, const CallPlan& fresh,
                                   Random& random);

}  // namespace assay
