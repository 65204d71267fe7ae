#pragma once
#include <span>
#include <string>
#include <variant>

#include "cli/options.h"

namespace assay::cli {

/// Text that was asked for (--help, --version): print it and exit with 0.
struct Shown {
  std::string text;
};

/// Reads a command line without the program's own name. Throws assay::Error with exit 2 and one line that says what is
/// wrong, what is allowed and the nearest known word.
std::variant<Options, Shown> parse(std::span<const std::string> words);

}  // namespace assay::cli
