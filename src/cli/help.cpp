#include "cli/help.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/version.h"

namespace assay::cli {
namespace {

constexpr std::size_t kWidth = 100;

using Row = std::pair<std::string, std::string>;

/// Letters as a terminal shows them: "…" is one.
std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Two columns; the right one starts where the longest left one allows.
std::string columns(const std::vector<Row>& rows) {
  std::size_t left = 0;
  for (const Row& row : rows) left = std::max(left, shown_width(row.first));
  std::string text;
  for (const auto& [name, help] : rows) {
    text += "  " + name + std::string(left - shown_width(name) + 2, ' ') + help + "\n";
  }
  return text;
}

std::string section(std::string_view title, const std::vector<Row>& rows) {
  return rows.empty() ? "" : "\n" + std::string(title) + ":\n" + columns(rows);
}

std::string call_of(const CommandRow& command) {
  std::string text(command.name);
  for (const ArgumentRow& argument : command.arguments) {
    const std::string name(argument.name);
    text += argument.optional ? " [" + name + "]" : " " + name;
  }
  return text;
}

/// "usage: assay audit CONTRACT [--candidate LIB[:SYMBOL]] …", broken between options.
std::string synopsis(const CommandRow& command) {
  const std::string start = "usage: assay " + call_of(command);
  std::string text, line = start;
  for (Flag flag : command.flags) {
    const std::string option = " [" + usage_of(row(flag)) + "]";
    if (shown_width(line) + shown_width(option) > kWidth) {
      text += line + "\n";
      line = std::string(std::string_view("usage: assay ").size() + command.name.size(), ' ');
    }
    line += option;
  }
  return text + line + "\n";
}

}  // namespace

std::string program_help() {
  std::vector<Row> commands, exits;
  for (const CommandRow& command : command_rows()) {
    commands.emplace_back(call_of(command) + (command.flags.empty() ? "" : " [options]"), command.help);
  }
  for (const ExitRow& exit : exit_rows()) exits.emplace_back(std::to_string(static_cast<int>(exit.code)), exit.meaning);
  return "assay " + std::string(kVersion) + ": is the faster kernel really the same kernel?\n\n" +
         "usage: assay COMMAND … | assay COMMAND --help | assay --version\n" + section("commands", commands) +
         section("exit codes", exits);
}

std::string command_help(const CommandRow& command) {
  std::vector<Row> arguments, options;
  for (const ArgumentRow& argument : command.arguments) arguments.emplace_back(argument.name, argument.help);
  for (Flag flag : command.flags) options.emplace_back(usage_of(row(flag)), row(flag).help);
  return synopsis(command) + "\n" + std::string(command.help) + "\n" + section("arguments", arguments) +
         section("options", options);
}

}  // namespace assay::cli
