#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/oracle.h"
#include "core/tensor.h"
#include "judge/buffer.h"

namespace assay {

/// A result that somebody's kernel could have had in place of the right one.
struct Mutant {
  std::string group;  ///< "null model", "lost work", "wrong place", "wrong input", "precision", "special values"
  std::string name;   ///< "the last row is missing"
  Bytes bytes;        ///< row-major without gaps, in the output's type
};

/// Made of the right result alone. `other`: the right result of another call; `random` draws.
std::vector<Mutant> mutants_of(const ConcreteTensor& tensor, DType dtype, const Bytes& right, const Bytes& other,
                               Random& random);
/// The right result with fewer significant bits than `promised` and its own type have.
std::vector<Mutant> narrowed_results(const ConcreteTensor& tensor, DType dtype, const Bytes& right, int promised);

/// The right result of a call with special values, without them: NaN replaced by 0, infinities by the largest number.
std::vector<Mutant> tamed_results(const ConcreteTensor& tensor, DType dtype, const Bytes& right);

/// A truth in the output's own type.
Bytes rounded(const Truth& truth, DType dtype);

}  // namespace assay
