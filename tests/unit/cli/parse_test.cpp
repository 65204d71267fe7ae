#include "cli/parse.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "core/error.h"

namespace assay::cli {
namespace {

Options parsed(const std::vector<std::string>& words) {
  return std::get<Options>(parse(words));
}
std::string shown(const std::vector<std::string>& words) {
  return std::get<Shown>(parse(words)).text;
}

/// The message of a refusal; fails the test unless it exits with 2 and is one line.
std::string refusal(const std::vector<std::string>& words) {
  try {
    parse(words);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::kUsage);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in: " << text;
}

TEST(Parse, ReadsAWholeAudit) {
  const std::string hex(64, 'a');
  const Options o = parsed({"audit",          "--candidate",  "a/b.so:f", "c.toml", "--reference=r.so",
                            "--device",       "cpu",          "--depth",  "quick",  "--only",
                            "reuse,move-one", "--seed",       hex,        "--out",  "d",
                            "--format",       "json,console", "--with",   "x,y",    "--accept-weak-sandbox"});
  EXPECT_EQ(o.command, CommandId::audit);
  EXPECT_EQ(o.contract, "c.toml");
  EXPECT_EQ(o.candidate, (SubjectArg{"a/b.so", "f"}));
  EXPECT_EQ(o.reference, (SubjectArg{"r.so", ""}));
  EXPECT_EQ(o.depth, Depth::quick);
  EXPECT_EQ(o.only, (std::vector<std::string>{"reuse", "move-one"}));
  EXPECT_EQ(to_hex(o.seed.value()), hex);
  EXPECT_EQ(o.out, "d");
  EXPECT_EQ(o.formats, (std::vector<Format>{Format::json, Format::console}));
  EXPECT_EQ(o.with, (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(o.accept_weak_sandbox);
}

TEST(Parse, DefaultsAreStandardOnTheProcessorToTheConsole) {
  const Options o = parsed({"audit", "c.toml"});
  EXPECT_EQ(o.depth, Depth::standard);
  EXPECT_EQ(o.device, "cpu");
  EXPECT_FALSE(o.seed.has_value());
  EXPECT_FALSE(o.accept_weak_sandbox);
  EXPECT_EQ(o.formats, std::vector<Format>{Format::console});
  EXPECT_EQ(parsed({"audit", "c.toml", "--out", "d"}).formats, (std::vector<Format>{Format::console, Format::json}));
}

TEST(Parse, OtherCommandsTakeTheirArguments) {
  const Options replay = parsed({"replay", "r.json", "f2"});
  EXPECT_EQ(replay.command, CommandId::replay);
  EXPECT_EQ(replay.report, "r.json");
  EXPECT_EQ(replay.finding, "f2");
  EXPECT_EQ(parsed({"explain", "guards"}).topic, "guards");
  EXPECT_EQ(parsed({"doctor"}).command, CommandId::doctor);
}

TEST(Parse, RoiTakesNumbersAndNoArgumentAtAll) {
  const Options o = parsed({"roi", "--hot-fraction", "0.25", "--speedup=2", "--format", "json"});
  EXPECT_EQ(o.command, CommandId::roi);
  EXPECT_EQ(o.worth, "");
  EXPECT_EQ(o.hot_fraction, 0.25);
  EXPECT_EQ(o.speedup, 2.0);
  EXPECT_EQ(o.formats, std::vector<Format>{Format::json}) << "printed: there is no --out";
  const Options before =
      parsed({"roi", "c.toml", "--before", "--previous", "r.json", "--trace", "t", "--kernel", "a|b"});
  EXPECT_EQ(before.worth, "c.toml");
  EXPECT_TRUE(before.before);
  EXPECT_EQ(before.kernel, "a|b");
  expect_in(refusal({"roi", "--hot-fraction", "25"}), "--hot-fraction: '25' is not allowed; give a share");
  expect_in(refusal({"roi", "--hot-fraction", "nan"}), "is not allowed");
  expect_in(refusal({"roi", "--speedup", "0"}), "give old time / new time, above 0");
  expect_in(refusal({"roi", "a", "b"}), "has no use for 'b'");
  EXPECT_EQ(parsed({"claim", "c.toml"}).claim, "c.toml");
  expect_in(refusal({"claim"}), "CLAIM is missing");
}

TEST(Parse, UnknownWordsNameTheNearest) {
  expect_in(refusal({"adit"}), "unknown command 'adit'; did you mean 'audit'?");
  expect_in(refusal({"audit", "c", "--candidat", "x"}), "no option --candidat; did you mean '--candidate'?");
  expect_in(refusal({"audit", "c", "--cand", "x"}), "no option --cand");
  expect_in(refusal({"audit", "c", "-x"}), "no option --x");
  expect_in(refusal({"checks", "--depth", "quick"}), "'assay checks' has no option --depth");
}

TEST(Parse, ABadValueNamesFlagValueAndWhatIsAllowed) {
  expect_in(refusal({"audit", "c", "--depth", "fast"}),
            "--depth: 'fast' is not allowed; give one of quick, standard, deep");
  expect_in(refusal({"audit", "c", "--device", "gpu"}), "--device: 'gpu' is not allowed; give cpu, cuda or cuda:N");
  expect_in(refusal({"audit", "c", "--seed", "12"}), "--seed: '12' is not allowed; give 64 hexadecimal digits");
  for (const char* command : {"roi", "claim"}) {
    expect_in(refusal({command, "c", "--format", "junit"}), "--format: 'junit' is not allowed; give console or json");
  }
  expect_in(refusal({"audit", "c", "--out", "d", "--format", "yaml"}),
            "--format: 'yaml' is not allowed; give one of console");
  expect_in(refusal({"audit", "c", "--only", "a,,b"}), "--only: 'a,,b'");
  expect_in(refusal({"audit", "c", "--candidate", ":f"}), "--candidate: ':f'");
}

TEST(Parse, MissingAndSurplusWordsAreNamed) {
  expect_in(refusal({}), "no command given");
  expect_in(refusal({"--depth", "quick", "audit"}), "the command comes first");
  expect_in(refusal({"audit"}), "CONTRACT is missing");
  expect_in(refusal({"replay", "r.json"}), "FINDING is missing");
  expect_in(refusal({"audit", "a", "b"}), "no use for 'b'");
  expect_in(refusal({"audit", "a", "--out"}), "--out needs a value: DIR");
  expect_in(refusal({"audit", "a", "--out", "--depth", "quick"}), "--out needs a value: DIR");
  expect_in(refusal({"audit", "a", "--accept-weak-sandbox=yes"}), "--accept-weak-sandbox takes no value");
  expect_in(refusal({"audit", "a", "--depth", "quick", "--depth", "deep"}), "--depth is given twice");
  expect_in(refusal({"audit", "a", "--format", "json"}), "add --out DIR");
}

TEST(Parse, HelpAndVersionAreShownWhateverElseIsMissing) {
  EXPECT_EQ(shown({"--help"}), program_help());
  EXPECT_EQ(shown({"audit", "--help"}), command_help(find_command("audit")));
  EXPECT_EQ(shown({"replay", "-h"}), command_help(find_command("replay")));
  EXPECT_EQ(shown({"--version"}).substr(0, 6), "assay ");
}

TEST(Parse, AnyWordsEitherParseOrExitWithTwo) {
  EXPECT_TRUE(rc::check([](std::vector<std::string> words) {
    words.insert(words.begin(), "audit");
    try {
      parse(words);
    } catch (const Error& error) {
      RC_ASSERT(error.code() == Exit::kUsage);
    }
  }));
}

}  // namespace
}  // namespace assay::cli
