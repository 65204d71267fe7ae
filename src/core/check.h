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
  /// Up to `count` of them, none empty: production first, then drawn with a preference for cheap ones.
  virtual std::vector<const ConcreteShape*> pick(int count) = 0;
  /// Which reuse of pointers and contents this session does: scripts that need more are dropped.
  virtual Lifetime lifetime() const = 0;
  /// How many scripts of a kind the depth allows (quick 1, standard 3, deep 8).
  virtual int effort() const = 0;
  virtual Random& random() = 0;
  /// A call at home places with values never used before, as far as the lifetime lets them change: static tensors keep
  /// theirs for the session, integer tensors keep theirs unless the lifetime is serving.
  virtual CallPlan fresh_call(const ConcreteShape& shape) = 0;
  /// The identity of values never used before, for a tensor whose values may change.
  virtual std::uint64_t new_draw() = 0;
  virtual void add(Script script) = 0;
};

/// A family of faults and the calls that would expose it. One file each in `mutators/`.
struct Check {
  std::string_view id;
  std::string_view family;   ///< the families of THREATS.md it serves, such as "A"
  std::string_view claim;    ///< one sentence: what holds of an honest kernel
  std::string_view threats;  ///< ids of THREATS.md, such as "A1 A4 A9"
  void (*plan)(CheckContext&);
  /// Checks whose calls change less: where one of them has shown a fault, wrong results here say the same again.
  std::string_view implied_by = {};
  std::source_location where = std::source_location::current();
};

}  // namespace assay
