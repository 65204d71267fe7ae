#pragma once
#include <filesystem>
#include <string>

#include "core/call.h"
#include "core/tensor.h"
#include "numerics/philox.h"

namespace assay {

/// Writes the contents of tensors: a pure function of (seed, plan, tensor name, values, element index).
class Generator {
 public:
  /// `folder` is what paths of `file` values are relative to (Contract::folder).
  explicit Generator(const Seed& seed, std::filesystem::path folder = {});

  /// Draws `values` for the tensor called `tensor_name` and applies the plan's edits in order. Gaps between strided
  /// elements stay untouched; no elements is fine. Throws Error (usage) where the values can't be had: an unreadable or
  /// unfit file, a shape that the kind can't fill.
  void fill(const TensorView& out, const TensorPlan& plan, const ConcreteValues& values,
            const std::string& tensor_name) const;

 private:
  Seed seed_;
  std::filesystem::path folder_;
};

/// Copies between a strided view and row-major bytes without gaps.
void gather(const ConstTensorView& from, std::byte* to);
void scatter(const std::byte* from, const TensorView& to);

}  // namespace assay
