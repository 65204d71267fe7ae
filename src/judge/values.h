#pragma once
#include <list>
#include <memory>

#include "judge/buffer.h"
#include "numerics/generator.h"
#include "numerics/poison.h"

namespace assay {

/// Contents of inputs, made once per (tensor, shape, plan) and kept while there is room: the judge's own copies, which
/// oracles read and inputs are compared with.
class Values {
 public:
  /// `gaps` keys what lies between strided elements.
  Values(const Contract& contract, const Generator& generator, const StreamKey& gaps)
      : contract_(contract), generator_(generator), gaps_(gaps) {}

  /// The bytes of an input, gaps between strided elements included.
  std::shared_ptr<const Bytes> of(const Buffer& buffer, const TensorPlan& plan);
  /// The same, made anew and not kept.
  std::shared_ptr<const Bytes> make(const Buffer& buffer, const TensorPlan& plan) const;

 private:
  struct Entry {
    std::size_t tensor;
    std::vector<std::int64_t> shape;
    std::int64_t extent;
    TensorPlan plan;
    std::shared_ptr<const Bytes> bytes;
  };

  void trim();

  const Contract& contract_;
  const Generator& generator_;
  StreamKey gaps_;
  std::list<Entry> kept_;  ///< most recent first
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace assay
