#pragma once
#include <cstddef>
#include <span>

namespace assay {

/// Whether this processor lets a program write lines back and drop them.
bool can_flush_caches();

/// Drops `bytes` from every cache of the machine: the next read by any process that maps the same memory comes from
/// memory. Does nothing where `can_flush_caches` is false.
void flush_from_caches(std::span<const std::byte> bytes);

}  // namespace assay
