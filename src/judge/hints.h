#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "core/report.h"

namespace assay {

/// What a candidate's file shows that its owner may want to look at. Never part of a verdict: behaviour decides, and
/// every word here has honest reasons too.
std::vector<Hint> hints_of(std::span<const std::byte> file);

/// The same of an open file; none if it can't be mapped.
std::vector<Hint> hints_of_file(int file);

}  // namespace assay
