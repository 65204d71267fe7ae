#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "contract/load.h"
#include "core/error.h"

namespace assay {
namespace {

const std::string kData = std::string(ASSAY_SOURCE_DIR) + "/tests/unit/contract/data/";
const std::string kBad = std::string(ASSAY_SOURCE_DIR) + "/fixtures/contracts/bad/";

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// One line per error: "line:column: message".
std::string errors_of(const std::string& text) {
  const auto parsed = parse_contract(text, "c.toml");
  std::string lines;
  if (std::holds_alternative<Contract>(parsed)) return "no error\n";
  for (const ContractError& error : std::get<std::vector<ContractError>>(parsed)) {
    EXPECT_EQ(error.file, "c.toml");
    lines += std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.message + "\n";
  }
  return lines;
}

struct Mistake {
  int line = 0;
  std::string part, replacement, expected;
};

/// See the head of errors.txt.
std::vector<Mistake> read_mistakes() {
  std::vector<Mistake> mistakes;
  std::string* into = nullptr;
  std::istringstream lines(read_text(kData + "errors.txt"));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line == "<<<") {
      mistakes.emplace_back();
      mistakes.back().line = number;
      into = &mistakes.back().part;
    } else if (line == "===") {
      into = &mistakes.back().replacement;
    } else if (line == ">>>") {
      into = &mistakes.back().expected;
    } else if (into && !line.empty() && line[0] == '#' && into == &mistakes.back().expected) {
      into = nullptr;
    } else if (into && (into != &mistakes.back().expected || !line.empty())) {
      *into += line + "\n";
    }
  }
  return mistakes;
}

std::string without_last_break(std::string text) {
  if (!text.empty()) text.pop_back();
  return text;
}

TEST(ContractErrors, EachMistakeIsReportedAtItsPlace) {
  const std::string base = read_text(kData + "base.toml");
  ASSERT_EQ(errors_of(base), "no error\n");
  const std::vector<Mistake> mistakes = read_mistakes();
  ASSERT_GT(mistakes.size(), 190U);
  for (const Mistake& mistake : mistakes) {
    const std::string part = without_last_break(mistake.part);
    const std::size_t at = base.find(part);
    ASSERT_NE(at, std::string::npos) << "errors.txt:" << mistake.line;
    std::string text = base;
    text.replace(at, part.size(), without_last_break(mistake.replacement));
    EXPECT_EQ(errors_of(text), mistake.expected) << "errors.txt:" << mistake.line;
  }
}

TEST(ContractErrors, BadContractsShowAllTheirMistakesInOneRun) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kBad)) {
    const std::string text = read_text(entry.path().string());
    std::istringstream lines(text);
    std::string line, expected;
    while (std::getline(lines, line)) {
      if (line.starts_with("#! ")) expected += line.substr(3) + "\n";
    }
    EXPECT_EQ(errors_of(text), expected) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 4);
}

TEST(ContractErrors, WordsBesideAColonAreTheFilesOwn) {
  const auto parsed = parse_contract("schema = 2", "dir/c.toml");
  const auto& errors = std::get<std::vector<ContractError>>(parsed);
  ASSERT_FALSE(errors.empty());
  EXPECT_EQ(to_string(errors.back()), "dir/c.toml:1:10: schema 2 is unknown: this program reads schema 1");
}

TEST(ContractErrors, LoadingThrowsAllOfThemAsAUsageError) {
  const std::string path = kBad + "unused_tensor.toml";
  try {
    load_contract(path);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), path + ":11:10: tensor 'y' is passed by no argument of [entry]");
    EXPECT_EQ(error.code(), Exit::kUsage);
  }
}

TEST(ContractErrors, AMissingFileIsNamed) {
  for (const auto& [path, why] :
       {std::pair{kData + "absent.toml", "can't read the contract: No such file or directory"},
        std::pair{kData, "is a folder; give the contract's file"},
        std::pair{std::string("/proc/self/exe"), "is a shared object, not a contract; give it as --candidate"}}) {
    try {
      load_contract(path);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), path + ": " + why);
      EXPECT_EQ(error.code(), Exit::kUsage);
    }
  }
}

TEST(ContractErrors, HostileTextsEndSoon) {
  std::string dotted = "a";
  for (int i = 0; i < 100000; ++i) dotted += ".a";
  EXPECT_EQ(errors_of(dotted + " = 1"), "1:34: nested too deeply\n");
  EXPECT_EQ(errors_of("a = " + std::string(100000, '[')), "1:21: nested too deeply\n");
  EXPECT_EQ(errors_of("a = " + std::string(100000, '{')), "1:21: nested too deeply\n");
  EXPECT_EQ(errors_of(std::string(2000000, '#')), "1:1: the file is larger than 256 KiB\n");
  std::string many = "[op]\nname = \"f\"\nconstraints = [";
  while (many.size() < 200000) many += "\"T <\", ";
  const auto parsed = parse_contract(many + "]", "c.toml");
  EXPECT_EQ(std::get<std::vector<ContractError>>(parsed).size(), 1000U);
  EXPECT_EQ(errors_of("summary = \"" + std::string(100, '.') + std::string(100, '[') + "\"").find("nested"),
            std::string::npos);
}

}  // namespace
}  // namespace assay
