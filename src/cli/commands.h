#pragma once
#include <span>
#include <string>
#include <string_view>

#include "cli/flags.h"
#include "cli/options.h"
#include "core/error.h"

namespace assay::cli {

/// An argument that has no flag, and where it goes.
struct ArgumentRow {
  std::string_view name;
  std::string_view help;
  std::string Options::*field;
  bool optional = false;  ///< only the last ones may be
};

/// One command: parser, --help and README all come from this row.
struct CommandRow {
  CommandId id;
  std::string_view name;
  std::string_view help;
  std::span<const ArgumentRow> arguments;
  std::span<const Flag> flags;
};

/// One row per command, in the order of the enumeration.
std::span<const CommandRow> command_rows();

/// Throws assay::Error (exit 2) with the nearest command if there is none of that name.
const CommandRow& find_command(std::string_view name);

struct ExitRow {
  Exit code;
  std::string_view meaning;
};

/// Every exit code of the program and what it means.
std::span<const ExitRow> exit_rows();

}  // namespace assay::cli
