#include "judge/layout.h"

#include <algorithm>

namespace assay {

Layout lay_out(std::uint64_t bytes, std::uint64_t align, Flush flush, std::uint64_t page) {
  const std::uint64_t shift = flush.odd ? align : 0;
  const std::uint64_t whole = std::max((bytes + shift + page - 1) / page, std::uint64_t{1}) * page;
  if (!flush.at_end) return {whole, shift};
  std::uint64_t offset = (whole - bytes) / align * align;
  const bool over_aligned = offset % (2 * align) == 0;
  if (flush.odd && over_aligned && offset >= align) offset -= align;
  return {whole, offset};
}

Layout lay_out_shifted(std::uint64_t bytes, std::uint64_t align, int shift, std::uint64_t page) {
  const std::uint64_t offset = static_cast<std::uint64_t>(shift) * align;
  return {std::max((bytes + offset + page - 1) / page, std::uint64_t{1}) * page, offset};
}

}  // namespace assay
