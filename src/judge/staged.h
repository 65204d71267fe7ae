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

  /// Bytes of the mapping before and after the tensor.
  std::uint64_t zone_before() const { return lodging.offset; }
  std::uint64_t zone_after() const {
    return static_cast<std::uint64_t>(lodging.memory->bytes()) - lodging.offset - lodging.bytes;
  }

  static constexpr std::size_t kNoAlias = static_cast<std::size_t>(-1);
};

/// Writes contents and red zones into the buffer's mapping.
void write_staged(const Staged& staged);

/// Where the mapping isn't as `write_staged` left it: before the tensor, inside it, or after it; in bytes from the
/// tensor's start, from its start, and from its end.
std::optional<std::int64_t> damage_before(const Staged& staged);
std::optional<std::int64_t> damage_inside(const Staged& staged);
std::optional<std::int64_t> damage_after(const Staged& staged);

/// A mapped memory that a tensor has left, and what was written over it.
struct Bystander {
  std::shared_ptr<DeviceMemory> memory;
  StreamKey key;
};

}  // namespace assay
