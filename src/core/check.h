#pragma once
#include <span>
#include <string_view>

#include "core/call.h"
#include "core/registry.h"
#include "core/seed.h"
#include "core/tensor.h"

namespace assay {

/// What a check may do: look at the contract, draw calls and state relations. It can't see results.
class CheckContext {
 public:
  virtual ~CheckContext() = default;
  virtual const Contract& contract() const = 0;
  /// The shapes that this audit covers, most important first. Never empty.
  virtual std::span<const ConcreteShape> shapes() const = 0;
  /// How many scripts of a kind the depth allows (quick 1, standard 3, deep 8).
  virtual int effort() const = 0;
  virtual Random& random() = 0;
  /// A call at home places with values never used before.
  virtual CallPlan fresh_call(const ConcreteShape& shape) = 0;
  virtual void add(Script script) = 0;
};

/// A family of faults and the calls that would expose it. One file each in `mutators/`.
struct Check {
  std::string_view id;
  std::string_view family;   ///< the families of THREATS.md it serves, such as "A"
  std::string_view claim;    ///< one sentence: what holds of an honest kernel
  std::string_view threats;  ///< ids of THREATS.md, such as "A1 A4 A9"
  void (*plan)(CheckContext&);
  std::source_location where = std::source_location::current();
};

}  // namespace assay
