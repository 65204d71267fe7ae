#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "cli/commands.h"
#include "cli/help.h"

namespace assay::cli {
namespace {

TEST(Tables, RowsStandInTheOrderOfTheirEnumerations) {
  for (std::size_t i = 0; i < flag_rows().size(); ++i) EXPECT_EQ(static_cast<std::size_t>(flag_rows()[i].flag), i);
  for (std::size_t i = 0; i < command_rows().size(); ++i) EXPECT_EQ(static_cast<std::size_t>(command_rows()[i].id), i);
  for (const FormatInfo& format : kFormats) EXPECT_EQ(info(format.format).name, format.name);
  for (const DepthInfo& depth : kDepths) EXPECT_EQ(info(depth.depth).name, depth.name);
}

TEST(Tables, NamesAreUniqueAndHelpIsNeverEmpty) {
  std::set<std::string_view> commands;
  for (const FlagRow& flag : flag_rows()) EXPECT_FALSE(flag.help.empty()) << flag.name;
  for (const CommandRow& command : command_rows()) {
    EXPECT_TRUE(commands.insert(command.name).second) << command.name;
    EXPECT_FALSE(command.help.empty()) << command.name;
    std::set<std::string_view> flags;
    for (const Flag flag : command.flags) EXPECT_TRUE(flags.insert(row(flag).name).second) << row(flag).name;
  }
}

TEST(Tables, EveryFlagBelongsToACommand) {
  std::set<Flag> used;
  for (const CommandRow& command : command_rows()) used.insert(command.flags.begin(), command.flags.end());
  EXPECT_EQ(used.size(), flag_rows().size());
}

TEST(Help, NamesEveryCommandExitCodeAndFormat) {
  const std::string help = program_help();
  for (const CommandRow& command : command_rows()) {
    EXPECT_NE(help.find("\n  " + std::string(command.name)), std::string::npos) << command.name;
  }
  for (int code = 0; code <= 5; ++code) EXPECT_NE(help.find("\n  " + std::to_string(code) + "  "), std::string::npos);
  const std::string audit = command_help(find_command("audit"));
  for (const FormatInfo& format : kFormats) EXPECT_NE(audit.find(format.name), std::string::npos) << format.name;
  for (const CommandRow& command : command_rows()) {
    const std::string page = command_help(command);
    for (Flag flag : command.flags) EXPECT_NE(page.find("--" + std::string(row(flag).name)), std::string::npos);
  }
}

TEST(Help, OffersFilesOnlyWhereTheyAreWritten) {
  for (const CommandRow& command : command_rows()) {
    const std::string page = command_help(command);
    const bool writes = page.find("--out") != std::string::npos;
    EXPECT_EQ(page.find("junit") != std::string::npos, writes) << command.name;
  }
}

/// The README's block is the program's own words, so that it can't go stale.
TEST(Help, StandsInTheReadmeWordForWord) {
  std::ifstream file(ASSAY_SOURCE_DIR "/README.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find("```\n" + program_help() + "```"), std::string::npos)
      << "put the output of 'assay --help' into README.md";
  EXPECT_NE(text.str().find("```\n" + command_help(find_command("audit")) + "```"), std::string::npos)
      << "put the output of 'assay audit --help' into README.md";
}

}  // namespace
}  // namespace assay::cli
