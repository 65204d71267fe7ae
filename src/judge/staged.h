#pragma once
#include <optional>

#include "judge/buffer.h"
#include "judge/lender.h"
#include "numerics/poison.h"

namespace assay {

/// One buffer of a call as the judge left it: what was written where, so that every change shows afterwards.
struct Staged {
  const Buffer* buffer = nullptr;
  Lodging lodging;
  std::shared_ptr<const Bytes> contents;  ///< inputs: the values; others: the poison, as written
  std::optional<PoisonSpec> poison;       ///< how `contents` were made, where they are poison
  StreamKey key_before, key_after;        ///< of the red zones on both sides
  std::size_t alias_of = kNoAlias;        ///< index of the buffer whose storage this one shares

  /// Everything in the mapping before and after the tensor.
  std::span<std::byte> zone_before() const;
  std::span<std::byte> zone_after() const;

  static constexpr std::size_t kNoAlias = static_cast<std::size_t>(-1);
};

/// First byte that differs, as an offset into the range compared.
std::optional<std::size_t> first_difference(const std::byte* a, const std::byte* b, std::size_t bytes);

/// Writes contents and red zones into the buffer's mapping.
void write_staged(const Staged& staged);

/// A mapped memory that a call has nothing to do with, and its digest.
struct Bystander {
  std::shared_ptr<LentMemory> memory;
  std::string what;  ///< "the place that x left", "a slot prepared but not called"
  std::array<std::uint64_t, 2> digest{};
};

/// XXH3-128 with a secret seed over the whole mapping.
std::array<std::uint64_t, 2> digest_of(const LentMemory& memory, std::uint64_t secret);

}  // namespace assay
