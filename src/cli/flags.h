#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cli/options.h"

namespace assay::cli {

enum class Flag : std::uint8_t {
  candidate,
  reference,
  device,
  depth,
  only,
  without,
  seed,
  out,
  format,
  printed,
  with,
  disclose,
  campaign,
  accept_weak_sandbox,
  hot_fraction,
  speedup,
  trace,
  kernel,
  before,
  previous,
  preset,
  rank,
  emit_shapes,
  threats
};

/// One option: parser, --help and README all come from this row.
struct FlagRow {
  Flag flag;
  std::string_view name;   ///< without the two dashes; no command has two flags of one name
  std::string_view value;  ///< placeholder; empty: a switch
  std::string_view help;
  /// Stores the value. Returns what would be allowed if it can't, else an empty string.
  std::string (*set)(Options& options, const std::string& value);
};

/// One row per flag, in the order of the enumeration.
std::span<const FlagRow> flag_rows();
const FlagRow& row(Flag flag);

/// "--depth quick|standard|deep", or "--accept-weak-sandbox".
std::string usage_of(const FlagRow& row);

}  // namespace assay::cli
