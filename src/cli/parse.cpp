// Theory of operation
//
// Two constexpr tables (commands.cpp, flags.cpp) say all there is to say about the command line. This file turns the
// row of one command into a description for Boost.Program_options, which only splits words into flags, values and
// arguments; each value then goes through its row's setter. Help (help.cpp) and the README's block are printed from the
// same rows, so they can't disagree with what is accepted. Abbreviated flags are refused: a script must not change its
// meaning when a flag is added.
#include "cli/parse.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <set>
#include <vector>

#include "cli/commands.h"
#include "cli/help.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/version.h"

namespace assay::cli {
namespace {

namespace po = boost::program_options;

constexpr const char* kArguments = "arguments";  // key under which Boost collects words without a flag

[[noreturn]] void refuse(const CommandRow& command, const std::string& message) {
  throw Error(message + " ('assay " + std::string(command.name) + " --help')", Exit::kUsage);
}

po::options_description describe(const CommandRow& command) {
  po::options_description description;
  description.add_options()("help,h", "");
  for (Flag flag : command.flags) {
    const std::string name(row(flag).name);
    if (row(flag).value.empty()) {
      description.add_options()(name.c_str(), "");
    } else {
      description.add_options()(name.c_str(), po::value<std::string>(), "");
    }
  }
  description.add_options()(kArguments, po::value<std::vector<std::string>>());
  return description;
}

/// Words of the flag that Boost complains about: "--depht" of "--depht=3".
std::string bare(std::string name) {
  const std::size_t start = name.find_first_not_of('-');
  return start == std::string::npos ? name : name.substr(start);
}

[[noreturn]] void refuse_unknown(const CommandRow& command, const po::unknown_option& error) {
  std::vector<std::string> known{"--help"};
  for (Flag flag : command.flags) known.push_back("--" + std::string(row(flag).name));
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string name = "--" + bare(error.get_option_name());
  refuse(command, "'assay " + std::string(command.name) + "' has no option " + name + did_you_mean(name, views));
}

[[noreturn]] void refuse_value(const CommandRow& command, const FlagRow& flag) {
  const std::string name = "--" + std::string(flag.name);
  if (flag.value.empty()) refuse(command, name + " takes no value");
  refuse(command, name + " needs a value: " + std::string(flag.value));
}

[[noreturn]] void refuse_syntax(const CommandRow& command, const po::invalid_command_line_syntax& error) {
  const std::string name = bare(error.get_option_name());
  for (Flag flag : command.flags) {
    if (row(flag).name == name) refuse_value(command, row(flag));
  }
  refuse(command, "--" + name + " takes no value");
}

std::vector<po::option> split(const CommandRow& command, const std::vector<std::string>& words) {
  const po::options_description description = describe(command);
  po::positional_options_description positional;
  positional.add(kArguments, -1);
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    return po::command_line_parser(words).options(description).positional(positional).style(style).run().options;
  } catch (const po::unknown_option& error) {
    refuse_unknown(command, error);
  } catch (const po::invalid_command_line_syntax& error) {
    refuse_syntax(command, error);
  } catch (const po::error& error) {
    refuse(command, error.what());
  }
}

void set_flag(const CommandRow& command, Options& options, const po::option& given) {
  for (Flag flag : command.flags) {
    if (row(flag).name != given.string_key) continue;
    const std::string value = given.value.empty() ? "" : given.value.front();
    // Boost would take "--out --depth quick" for a folder named "--depth".
    if (value.starts_with("--")) refuse_value(command, row(flag));
    const std::string allowed = row(flag).set(options, value);
    if (!allowed.empty())
      refuse(command, "--" + given.string_key + ": '" + value + "' is not allowed; give " + allowed);
  }
}

void set_arguments(const CommandRow& command, Options& options, const std::vector<std::string>& given) {
  for (std::size_t i = 0; i < std::min(given.size(), command.arguments.size()); ++i) {
    options.*command.arguments[i].field = given[i];
  }
  if (given.size() > command.arguments.size()) {
    refuse(command,
           "'assay " + std::string(command.name) + "' has no use for '" + given[command.arguments.size()] + "'");
  }
  if (given.size() < command.arguments.size() && !command.arguments[given.size()].optional) {
    const ArgumentRow& missing = command.arguments[given.size()];
    refuse(command, std::string(missing.name) + " is missing: " + std::string(missing.help));
  }
}

/// What only the whole line can tell.
void finish(const CommandRow& command, Options& options) {
  const bool given_none = options.formats.empty();
  if (given_none) options.formats.push_back(Format::console);
  if (given_none && !options.out.empty()) options.formats.push_back(Format::json);
  // Without --out there is nothing but the terminal to write to.
  const bool prints = std::find(command.flags.begin(), command.flags.end(), Flag::out) == command.flags.end();
  if (prints) return;
  for (Format format : options.formats) {
    if (info(format).file.empty() || !options.out.empty()) continue;
    refuse(command, "--format " + std::string(info(format).name) + " writes a file: add --out DIR");
  }
}

std::variant<Options, Shown> parse_command(const CommandRow& command, const std::vector<std::string>& words) {
  Options options;
  options.command = command.id;
  std::vector<std::string> arguments;
  std::set<std::string> seen;
  for (const po::option& given : split(command, words)) {
    if (given.string_key == "help") return Shown{command_help(command)};
    if (given.string_key == kArguments) {
      arguments.insert(arguments.end(), given.value.begin(), given.value.end());
      continue;
    }
    if (!seen.insert(given.string_key).second) refuse(command, "--" + given.string_key + " is given twice");
    set_flag(command, options, given);
  }
  set_arguments(command, options, arguments);
  finish(command, options);
  return options;
}

}  // namespace

std::variant<Options, Shown> parse(std::span<const std::string> words) {
  if (words.empty()) throw Error("no command given; 'assay --help' lists all", Exit::kUsage);
  const std::string& first = words.front();
  if (first == "--help" || first == "-h") return Shown{program_help()};
  if (first == "--version") return Shown{"assay " + std::string(kVersion) + "\n"};
  if (first.starts_with("-")) {
    throw Error("the command comes first, then its options; found '" + first + "' ('assay --help')", Exit::kUsage);
  }
  return parse_command(find_command(first), {words.begin() + 1, words.end()});
}

}  // namespace assay::cli
