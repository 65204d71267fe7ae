#pragma once
#include <string>

#include "cli/commands.h"

namespace assay::cli {

/// `assay --help`: what it is, all commands, all exit codes. Also the README's block.
std::string program_help();

/// `assay COMMAND --help`: synopsis, arguments, options.
std::string command_help(const CommandRow& command);

}  // namespace assay::cli
